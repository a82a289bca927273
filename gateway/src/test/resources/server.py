"""An MCP server over stdio with sessions, whose tool counts its calls."""
import json
import sys

calls = 0
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    method = message["method"]
    if method == "initialize":
        answer["result"] = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "counter", "version": "1"},
        }
    elif method == "tools/list":
        answer["result"] = {"tools": [{"name": "count", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call":
        calls += 1
        answer["result"] = {"content": [{"type": "text", "text": str(calls)}]}
    else:
        answer["error"] = {"code": -32601, "message": "Method not found"}
    print(json.dumps(answer), flush=True)
