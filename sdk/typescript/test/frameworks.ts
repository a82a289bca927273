// Compiled by package.test.mjs: what the adapters return fits the frameworks' own types.
import { query, type Options } from '@anthropic-ai/claude-agent-sdk';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { tool as agentTool } from '@openai/agents';
import type { Plugin } from '@opencode-ai/plugin';
import { tool as aiTool } from 'ai';
import express from 'express';
import Fastify from 'fastify';
import { createAgent, createMiddleware, ToolMessage } from 'langchain';
import { z } from 'zod';
import { Safeconduct } from '@safeconduct/client';
import { guardTools } from '@safeconduct/client/ai';
import { safeconduct as claude } from '@safeconduct/client/claude-agent';
import { safeconduct as onExpress } from '@safeconduct/client/express';
import { safeconduct as onFastify } from '@safeconduct/client/fastify';
import { safeconduct as langchain } from '@safeconduct/client/langchain';
import { protect } from '@safeconduct/client/mcp';
import { safeconduct as openaiAgents } from '@safeconduct/client/openai-agents';
import { safeconduct as opencode } from '@safeconduct/client/opencode';

const client = new Safeconduct();
const options = { client, tools: {} };

export const hooks: Options['hooks'] = claude({ client });
export const conversation = query({ prompt: 'Hi', options: { hooks } });
export const plugin: Plugin = opencode({ client });
export const server: McpServer = protect(new McpServer({ name: 's', version: '1' }), { client, server: 'https://s.example' });
export const middleware = createMiddleware(langchain({ ...options, ToolMessage }));
export const agent = createAgent({ model: 'x', tools: [], middleware: [middleware] });
export const shell = agentTool({
  name: 'shell', description: 'x', parameters: z.object({ command: z.string() }),
  inputGuardrails: [openaiAgents(options)], execute: async ({ command }) => command });
export const tools = guardTools(
  { shell: aiTool({ inputSchema: z.object({ command: z.string() }), execute: async ({ command }) => command }) }, options);

const web = { client, policy: 'web.fetch.v1', context: () => ({ url: 'https://a.example' }) };
express().get('/', onExpress(web), (_, response) => void response.send('x'));
Fastify().get('/', { preHandler: onFastify(web) }, async () => 'x');
