import { verifyCaller, type VerifiedAgent, type WebOptions } from './web.js';

/** A `preHandler` for Fastify: lets a request of an agent pass if the service allows it. */
export function safeconduct<R extends { headers: any } = any>(options: WebOptions<R>) {
  return async (request: R & { safeconduct?: VerifiedAgent }, reply: any): Promise<unknown> => {
    const caller = await verifyCaller(request, options);
    if (!('status' in caller)) {
      request.safeconduct = caller;
      return undefined;
    }
    return reply.code(caller.status).type('application/problem+json').send(JSON.stringify(caller.body));
  };
}
