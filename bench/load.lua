-- Sends the lines of a file ("path<TAB>body") in turn; arguments: the file, the API key, "count" to
-- count the allows among the answers (which costs the load some speed) or nothing, and milliseconds
-- to wait before each request (which the latency leaves out).
local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function init(args)
  allows, denies, others = 0, 0, 0
  requests = {}
  local headers = { ["Content-Type"] = "application/json", ["X-API-Key"] = args[2] }
  for line in io.lines(args[1]) do
    local tab = line:find("\t", 1, true)
    local path, body = line:sub(1, tab - 1), line:sub(tab + 1)
    table.insert(requests, wrk.format("POST", path, headers, body))
  end
  turn = number * 7
  if tonumber(args[4] or "") then
    delay = function() return tonumber(args[4]) end
  end
  if args[3] == "count" then
    response = function(status, _, body)
      if status ~= 200 then
        others = others + 1
      elseif body:find('"allow":true', 1, true) then
        allows = allows + 1
      else
        denies = denies + 1
      end
    end
  end
end

function request()
  turn = turn + 1
  return requests[turn % #requests + 1]
end

function done(summary, latency)
  local allowed = 0
  for _, thread in ipairs(threads) do
    allowed = allowed + thread:get("allows")
  end
  local errors = summary.errors
  io.write(string.format(
    "RESULT %d %d %d %d %d %d %d\n",
    summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency.max,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout, allowed))
end
