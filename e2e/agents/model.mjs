// A model that follows a script: it asks for the tool calls of the script one after the other, then
// ends. It speaks the four protocols of the agents: Anthropic Messages, OpenAI Responses, OpenAI Chat
// Completions and Gemini generateContent. It keeps no state: the next step is the number of tool
// calls that the conversation already holds.
import { createServer } from "node:http";

const END = "The script has ended.";

/** Each protocol: is the path its own, which calls and results the conversation holds, and the answer. */
const PROTOCOLS = [
  {
    path: /\/v1\/messages$/,
    hasTools: (body) => Boolean(body.tools?.length),
    items: (body) => blocks(body.messages),
    isCall: (item) => item.type === "tool_use",
    result: (item) => item.type === "tool_result" && text(item.content),
    events: messagesEvents,
  },
  {
    path: /\/responses$/,
    hasTools: (body) => Boolean(body.tools?.length) || body.input?.some((item) => item.type === "additional_tools"),
    items: (body) => (Array.isArray(body.input) ? body.input : []),
    isCall: (item) => /_call$/.test(item.type ?? ""),
    result: (item) => /_call_output$/.test(item.type ?? "") && text(item.output),
    events: responsesEvents,
  },
  {
    path: /\/chat\/completions$/,
    hasTools: (body) => Boolean(body.tools?.length),
    items: (body) => body.messages.flatMap((m) => [...(m.tool_calls ?? []), m]),
    isCall: (item) => item.type === "function",
    result: (item) => item.role === "tool" && text(item.content),
    events: chatEvents,
  },
  {
    path: /:(streamG|g)enerateContent$/,
    hasTools: (body) => Boolean(body.tools?.length),
    items: (body) => (body.contents ?? []).flatMap((c) => c.parts ?? []),
    isCall: (item) => Boolean(item.functionCall),
    result: (item) => item.functionResponse && JSON.stringify(item.functionResponse.response),
    events: geminiEvents,
  },
];

function blocks(messages) {
  return messages.flatMap((m) => (Array.isArray(m.content) ? m.content : []));
}

function text(content) {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map((part) => part.text ?? "").join("");
  return JSON.stringify(content) ?? "";
}

function messagesEvents(call, id, model) {
  const start = { id: `msg_${id}`, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
  const block = call ? { type: "tool_use", id: `toolu_${id}`, name: call.tool, input: {} } : { type: "text", text: "" };
  const delta = call ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) } : { type: "text_delta", text: END };
  return [
    { type: "message_start", message: start },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
}

function responsesEvents(call, id, model) {
  let item = { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content: [{ type: "output_text", text: END, annotations: [] }] };
  if (call?.input !== undefined) {
    item = { type: "custom_tool_call", id: `ctc_${id}`, call_id: `call_${id}`, name: call.tool, input: call.input, status: "completed" };
  } else if (call) {
    item = { type: "function_call", id: `fc_${id}`, call_id: `call_${id}`, name: call.tool, namespace: call.namespace, arguments: JSON.stringify(call.args), status: "completed" };
  }
  const response = { id: `resp_${id}`, object: "response", model, output: [], status: "in_progress" };
  const usage = { input_tokens: 1, input_tokens_details: { cached_tokens: 0 }, output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 2 };
  return [
    { type: "response.created", response },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, status: "completed", output: [item], usage } },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}

function chatEvents(call, id, model) {
  const delta = call
    ? { role: "assistant", content: null, tool_calls: [{ index: 0, id: `call_${id}`, type: "function", function: { name: call.tool, arguments: JSON.stringify(call.args) } }] }
    : { role: "assistant", content: END };
  const chunk = (choice) => ({ id: `chat_${id}`, object: "chat.completion.chunk", created: 1, model, choices: [{ index: 0, ...choice }] });
  return [
    chunk({ delta, finish_reason: null }),
    { ...chunk({ delta: {}, finish_reason: call ? "tool_calls" : "stop" }), usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
    "[DONE]",
  ];
}

function geminiEvents(call) {
  const part = call ? { functionCall: { name: call.tool, args: call.args } } : { text: END };
  return [{
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  }];
}

/** What an agent wants that does not stream: the last event that holds the whole answer. */
function whole(events) {
  const completed = events.find((event) => event.type === "response.completed");
  if (completed) return completed.response;
  if (events[0].type === "message_start") {
    const block = events[1].content_block;
    const content = block.type === "text" ? { ...block, text: END } : { ...block, input: JSON.parse(events[2].delta.partial_json) };
    return { ...events[0].message, content: [content], stop_reason: events[4].delta.stop_reason };
  }
  if (events[0].object) {
    const { delta } = events[0].choices[0];
    return { ...events[1], object: "chat.completion", choices: [{ index: 0, message: delta, finish_reason: events[1].choices[0].finish_reason }] };
  }
  return events[0];
}

/**
 * Starts the model on a free port of loopback.
 * @param script the calls: {tool, args} or, for a tool that takes text, {tool, input}; or a function
 *     that makes one from the result of the call before it
 * @returns url; requests (path and body of each); results (the text the agent gave back for each call)
 */
export async function startModel(script) {
  const requests = [];
  let results = [];
  const server = createServer(async (request, response) => {
    let raw = "";
    for await (const chunk of request) raw += chunk;
    const path = request.url.split("?")[0];
    const protocol = PROTOCOLS.find((each) => each.path.test(path));
    const body = raw.startsWith("{") ? JSON.parse(raw) : {};
    requests.push({ method: request.method, path: request.url, body });
    if (!protocol) {
      const known = /models$/.test(path) ? { object: "list", data: [{ id: "scripted", object: "model" }] } : {};
      response.writeHead(/models$/.test(path) ? 200 : 404, { "Content-Type": "application/json" });
      response.end(JSON.stringify(known));
      return;
    }
    const items = protocol.items(body);
    const step = items.filter(protocol.isCall).length;
    const seen = items.map(protocol.result).filter((each) => typeof each === "string");
    if (seen.length >= results.length) results = seen;
    const next = protocol.hasTools(body) ? script[step] : undefined;
    const call = typeof next === "function" ? await next(seen.at(-1)) : next;
    const events = protocol.events(call, `${requests.length}`, body.model ?? "scripted");
    if (body.stream || /stream/.test(path)) {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      for (const event of events) {
        if (event.type) response.write(`event: ${event.type}\n`);
        response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
      }
      response.end();
    } else {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify(whole(events)));
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    results: () => results,
    close: () => { server.closeAllConnections(); server.close(); },
  };
}
