import { verifyCaller, type VerifiedAgent, type WebOptions } from './web.js';

/** Middleware for Express: lets a request of an agent pass if the service allows it. */
export function safeconduct<R extends { headers: any } = any>(options: WebOptions<R>) {
  return async (request: R & { safeconduct?: VerifiedAgent }, response: any, next: () => void) => {
    const caller = await verifyCaller(request, options);
    if ('status' in caller) {
      response.status(caller.status).type('application/problem+json').send(JSON.stringify(caller.body));
      return;
    }
    request.safeconduct = caller;
    next();
  };
}
