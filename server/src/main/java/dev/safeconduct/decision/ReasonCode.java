package dev.safeconduct.decision;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The catalogue of reason codes, {@code oap.…}, of decisions. An organization's own pack may deny
 * with its own codes, which are not in the catalogue.
 */
public enum ReasonCode {
  ALLOWED("Every check passed", false),
  /** An allow of observe mode: the policy denies, and the passport or organization is observed. */
  OBSERVED("Denied by the policy, allowed by observe mode", false),
  ORGANIZATION_HALTED("Every agent of the organization is halted", false),
  POLICY_ERROR("The policy could not be evaluated", false),
  /** A decision token that is not valid; no policy denies with it. */
  INVALID_TOKEN("The token is not valid", false),

  ACCESS_FREQUENCY_EXCEEDED("Data is accessed too often"),
  ACCOUNT_TYPE_RESTRICTED("A type of account that is not allowed"),
  ACTION_FORBIDDEN("A forbidden action"),
  ACTION_NOT_ALLOWED("An action that is not on the list"),
  APPROVAL_REQUIRED("A person has to approve it first"),
  ASSET_CLASS_FORBIDDEN("An asset class that is not allowed"),
  ASSURANCE_INSUFFICIENT("The assurance level is too low"),
  ATTORNEY_REVIEW_REQUIRED("An attorney has to review it first"),
  BALANCE_INQUIRY_FORBIDDEN("Balances may not be asked for"),
  BLOCKED_PATTERN("Something blocked in a command"),
  BLOCKED_PATTERN_DETECTED("Something blocked in the content"),
  BRANCH_FORBIDDEN("A forbidden branch"),
  BRANCH_NOT_ALLOWED("A branch that is not on the list"),
  CAPABILITY_NOT_ALLOWED("A capability that is not on the list"),
  CATEGORY_BLOCKED("A blocked category"),
  CHANNEL_FORBIDDEN("A channel that is not allowed"),
  CLASSIFICATION_FORBIDDEN("A data classification that is not allowed"),
  CLIENT_CONSENT_REQUIRED("The client has to consent first"),
  CLIENT_TIER_FORBIDDEN("A client tier that is not allowed"),
  COLLECTION_FORBIDDEN("A collection that is not allowed"),
  COMMAND_INJECTION_DETECTED("A second command hidden in a command"),
  COMMAND_NOT_ALLOWED("A command that is not on the list"),
  COMMINGLING_OF_FUNDS_FORBIDDEN("Funds of clients may not be mixed"),
  COMPLIANCE_CHECK_REQUIRED("A compliance check is missing"),
  CONCURRENT_LIMIT_EXCEEDED("Too many at the same time"),
  CONFLICT_OF_INTEREST("A conflict of interest"),
  CONFLICTS_CHECK_REQUIRED("A check for conflicts of interest is missing"),
  CONTENT_TOO_LONG("Content that is too long"),
  COUNTERPARTY_LIMIT_EXCEEDED("More than the limit for this counterparty"),
  CRITERIA_INCOMPLETE("Acceptance criteria without evidence"),
  CRITERIA_NOT_MET("Acceptance criteria that are not met"),
  CROSS_CURRENCY_DENIED("Another currency than the account’s"),
  CURRENCY_UNSUPPORTED("A currency that is not on the list"),
  DAILY_LIMIT_EXCEEDED("More than a day’s limit allows"),
  DAILY_VOLUME_EXCEEDED("More than a day’s volume allows"),
  DANGEROUS_OPERATION("A dangerous operation"),
  DATA_ENCRYPTION_REQUIRED("The data has to be encrypted"),
  DATA_EXPIRED("Data that has expired"),
  DATA_QUALITY_INSUFFICIENT("Data of too low quality"),
  DATA_SIZE_EXCEEDED("More data than allowed"),
  DATA_STALE("Data that is too old"),
  DESTINATION_TYPE_FORBIDDEN("A type of destination that is not allowed"),
  DIRECTORY_NOT_ALLOWED("A directory that is not on the list"),
  DOCUMENT_SIZE_EXCEEDED("A document that is too large"),
  DOCUMENT_TYPE_FORBIDDEN("A type of document that is not allowed"),
  DOMAIN_BLOCKED("A blocked site"),
  DOMAIN_NOT_ALLOWED("A site that is not on the list"),
  DURATION_LIMIT_EXCEEDED("Longer than allowed"),
  ENGAGEMENT_LETTER_REQUIRED("An engagement letter is missing"),
  ENTITY_TYPE_FORBIDDEN("A type of entity that is not allowed"),
  ENV_VAR_BLOCKED("A blocked environment variable"),
  EVIDENCE_MISSING("Evidence is missing"),
  EXCHANGE_FORBIDDEN("An exchange that is not on the list"),
  EXCHANGE_OFFLINE("The exchange is offline"),
  EXTENSION_NOT_ALLOWED("A file extension that is not on the list"),
  FEE_DISCLOSURE_REQUIRED("The fee has to be disclosed"),
  FILE_FORBIDDEN("A forbidden file"),
  FORM_SUBMISSION_BLOCKED("Forms may not be submitted"),
  FORMAT_UNSUPPORTED("A format that is not supported"),
  HEADER_BLOCKED("A blocked header"),
  HIGH_VALUE_REVIEW_REQUIRED("A high amount has to be reviewed first"),
  IDEMPOTENCY_CONFLICT("The same payment a second time"),
  INGEST_FREQUENCY_EXCEEDED("Data is ingested too often"),
  INVALID_CONTEXT("The action was not described properly"),
  INVALID_REASON("A reason that is not valid"),
  INVALID_REASON_CODE("A reason code that is not on the list"),
  INVALID_SERVER_URL("A server address that is not valid"),
  INVALID_TOOL_NAME("A tool name that is not valid"),
  JURISDICTION_BLOCKED("A blocked jurisdiction"),
  LICENSE_NOT_ALLOWED("A license that is not on the list"),
  LIMIT_EXCEEDED("More than a limit allows"),
  MARKET_CLOSED("The market is closed"),
  MENTION_FORBIDDEN("A mention that is not allowed"),
  MERCHANT_FORBIDDEN("A merchant that is not allowed"),
  METHOD_NOT_ALLOWED("An HTTP method that is not on the list"),
  METRIC_TYPE_FORBIDDEN("A type of metric that is not allowed"),
  PARAMETER_SIZE_EXCEEDED("Parameters that are too large"),
  PASSPORT_EXPIRED("The passport has expired"),
  PASSPORT_SUSPENDED("The passport is not active"),
  PATH_BLOCKED("A blocked path"),
  PATH_NOT_ALLOWED("A path that is not on the list"),
  PII_BLOCKED("Personal data that may not leave"),
  PII_NOT_ALLOWED("Personal data is not allowed"),
  PRIVATE_IP_BLOCKED("An internal address"),
  PRIVILEGE_PROTECTION_VIOLATION("Privileged material is not protected"),
  RATE_LIMIT_EXCEEDED("Too often in a short time"),
  RECIPIENT_NOT_ALLOWED("A recipient that is not on the list"),
  REGION_BLOCKED("A region that is not on the passport"),
  REPO_FORBIDDEN("A repository that is not allowed"),
  REPO_NOT_ALLOWED("A repository that is not on the list"),
  REPORT_TYPE_FORBIDDEN("A type of report that is not allowed"),
  RESOURCE_QUOTA_EXCEEDED("More than the quota allows"),
  REVIEW_REQUIRED("A review is missing"),
  RISK_SCORE_EXCEEDED("A risk score that is too high"),
  ROW_LIMIT_EXCEEDED("More rows than allowed"),
  SELF_REVIEW_NOT_ALLOWED("Authors may not review their own work"),
  SERVER_NOT_ALLOWED("An MCP server that is not on the list"),
  SESSION_LIMIT_EXCEEDED("Too many sessions"),
  SESSION_TYPE_NOT_ALLOWED("A type of session that is not on the list"),
  SHIELD_BLOCKED("Blocked by a content shield"),
  SOURCE_REPUTATION_INSUFFICIENT("A source of too low reputation"),
  SOURCE_UNAPPROVED("A source that is not approved"),
  SUMMARY_INSUFFICIENT("A summary that is too short"),
  SUPERVISOR_APPROVAL_REQUIRED("A supervisor has to approve it first"),
  TESTS_NOT_PASSING("Tests that do not pass"),
  TIMEOUT_EXCEEDED("A time limit that is too long"),
  TIMEOUT_RISK("It would run longer than its time limit"),
  TOKEN_FORBIDDEN("A token that is not on the list"),
  TOOL_ALREADY_EXISTS("A tool of that name exists already"),
  TOOL_LIMIT_EXCEEDED("Too many tools"),
  TOOL_NOT_ALLOWED("A tool that is not on the list"),
  TOOL_TYPE_NOT_ALLOWED("A type of tool that is not on the list"),
  TRADE_FREQUENCY_EXCEEDED("Too many trades in a short time"),
  UNAUTHORIZED_PRACTICE_OF_LAW("Work that only a lawyer may do"),
  UNKNOWN_CAPABILITY("The passport lacks the capability"),
  UNSIGNED_ARTIFACT("An artifact that is not signed"),
  VALIDATION_CHECKS_MISSING("Validation checks are missing"),
  WALLET_LIMIT_EXCEEDED("More than the wallet’s limit");

  private static final String PREFIX = "oap.";

  private static final Map<String, ReasonCode> BY_WIRE =
      Arrays.stream(values()).collect(Collectors.toMap(ReasonCode::wire, Function.identity()));

  private static final Set<String> DENY_CODES =
      Arrays.stream(values())
          .filter(code -> code.ofRules)
          .map(ReasonCode::wire)
          .collect(Collectors.toUnmodifiableSet());

  private final String wire;
  private final String message;
  private final boolean ofRules;

  ReasonCode(String message) {
    this(message, true);
  }

  ReasonCode(String message, boolean ofRules) {
    this.wire = "oap." + name().toLowerCase(Locale.ROOT);
    this.message = message;
    this.ofRules = ofRules;
  }

  /** Returns the spelling in decisions. */
  public String wire() {
    return wire;
  }

  /** Returns a short description of the code. */
  public String message() {
    return message;
  }

  public boolean is(String code) {
    return wire.equals(code);
  }

  /** Parses the spelling of {@link #wire}; empty for a pack's own code. */
  public static Optional<ReasonCode> parse(String wire) {
    return Optional.ofNullable(BY_WIRE.get(wire));
  }

  /** Returns the codes that the rules of every pack may deny with. */
  public static Set<String> denyCodes() {
    return DENY_CODES;
  }

  /** Whether it is the code of every allow, or one that every pack's rules may deny with. */
  public static boolean isInCatalogue(String code) {
    return ALLOWED.wire.equals(code) || DENY_CODES.contains(code);
  }

  /** Returns the code without the catalogue's prefix. */
  public static String withoutPrefix(String code) {
    return code.startsWith(PREFIX) ? code.substring(PREFIX.length()) : code;
  }
}
