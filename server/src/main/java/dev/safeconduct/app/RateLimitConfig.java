package dev.safeconduct.app;

import dev.safeconduct.config.Env;

/**
 * The rate limits in requests per minute; 0 for no limit.
 *
 * @param failedAuthPerAddress requests with wrong credentials from one address
 * @param publicPerAddress requests without a credential from one address
 * @param verifyPerKey decisions for one API key
 * @param verifyPerOrg decisions for all keys of an organization
 * @param login attempts to sign in to one account from one address
 */
record RateLimitConfig(
    int failedAuthPerAddress, int publicPerAddress, int verifyPerKey, int verifyPerOrg, int login) {
  static RateLimitConfig from(Env env) {
    return new RateLimitConfig(
        env.integer("RATE_FAILED_AUTH_PER_ADDRESS_PER_MINUTE", 60, 0, 1_000_000),
        env.integer("RATE_PUBLIC_PER_ADDRESS_PER_MINUTE", 600, 0, 100_000_000),
        env.integer("RATE_VERIFY_PER_KEY_PER_MINUTE", 0, 0, 100_000_000),
        env.integer("RATE_VERIFY_PER_ORG_PER_MINUTE", 0, 0, 100_000_000),
        env.integer("RATE_LOGIN_PER_MINUTE", 5, 0, 1_000_000));
  }
}
