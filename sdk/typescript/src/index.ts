export { type Action, type GuardedAction, type Options, type Status } from './action.js';
export { Safeconduct } from './client.js';
export {
  verifyDecision,
  type Approval,
  type Decision,
  type Reason,
} from './decision.js';
export { ActionDenied, ApiError, SafeconductError, UnavailableError } from './errors.js';
export { canonicalize, digest } from './json.js';
export { type JsonWebKeySet } from './keys.js';
export { verifyReceipt, type Receipt } from './receipt.js';
export { type Revocation } from './revocations.js';
export { verifyToken, type TokenClaims, type TokenExpectations } from './token.js';
export { type ContextOf, type Contexts } from './contexts.js';
