/** The version of this package, as in package.json. */
export const VERSION = '0.1.0';

export const USER_AGENT = `safeconduct-typescript/${VERSION}`;
