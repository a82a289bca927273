# Asks Safeconduct over HTTP with curl. safeconduct-hook and safeconduct-exec read this file; it is no command.
# A script defines refuse(), which ends it with a denial. The text of a refusal is printable ASCII without
# double quotes and backslashes, because it also stands in JSON.

newline='
'
# If the caller exports a variable of such a name, programs would get ours: a secret, or longer than they may get.
unset key body context judged answer reply

read_timeout() {
  timeout=${SAFECONDUCT_TIMEOUT:-5}
  case $timeout in
    [1-9] | [1-5][0-9]) ;;
    *) refuse 'SAFECONDUCT_TIMEOUT must be a whole number of seconds from 1 to 59' ;;
  esac
}

# Reads the settings: url, key, agent_id, route. $1 names the agent's key file, if it has one.
read_settings() {
  url=${url:-${SAFECONDUCT_URL:-http://127.0.0.1:8080}}
  url=${url%/}
  case $url in
    *[!]A-Za-z0-9.:/_~%[-]*) refuse 'the URL of Safeconduct may hold only a host, a port and a path' ;;
    http://?* | https://?*) ;;
    *) refuse 'the URL of Safeconduct must start with http:// or https://' ;;
  esac
  agent_id=${agent_id:-${SAFECONDUCT_AGENT_ID:-}}
  case $agent_id in
    *[!A-Za-z0-9._:-]*) refuse 'the agent id is not valid; it looks like ap_ and 32 characters' ;;
  esac
  agent_header=
  [ -z "$agent_id" ] || agent_header="header = \"Safeconduct-Agent: $agent_id\""
  route='noproxy = "*"'
  case ${SAFECONDUCT_PROXY:-} in
    '') ;;
    *[!]A-Za-z0-9.:/_~%@[-]*) refuse 'SAFECONDUCT_PROXY is not a valid address of a proxy' ;;
    *) route="proxy = \"$SAFECONDUCT_PROXY\"" ;;
  esac
  read_key "$1"
}

read_key() {
  key=${SAFECONDUCT_API_KEY:-}
  if [ -z "$key" ]; then
    folder=${XDG_CONFIG_HOME:-${HOME:-}/.config}/safeconduct
    file=${SAFECONDUCT_KEY_FILE:-$folder/$1.key}
    [ -n "${SAFECONDUCT_KEY_FILE:-}" ] || [ -f "$file" ] || file=$folder/key
    [ -r "$file" ] && [ -f "$file" ] ||
      refuse 'there is no API key: set SAFECONDUCT_API_KEY, or write the key to ~/.config/safeconduct/key'
    case $(ls -ldL -- "$file") in
      -r[w-][x-]------*) ;;
      *) refuse 'the key file is open to other users; run: chmod 600 FILE' ;;
    esac
    IFS= read -r key <"$file"
    key=${key%"$(printf '\r')"} # an editor on Windows ends lines so
    [ -n "$key" ] || refuse 'the first line of the key file is empty'
  fi
  case $key in
    *[!A-Za-z0-9._~+/=-]*) refuse 'the API key holds characters that no key has' ;;
  esac
}

# Runs curl in place of this shell: posts standard input to the path $1, and prints the answer and a dot, because
# shells drop newlines at an end. The key goes through a here-document, so it is no argument of a process. A short
# here-document is a pipe, except in bash before 5.1: there it is a file that only this user may read, deleted
# before curl starts.
post() {
  # What libraries set up at curl's start costs a seventh of it: the locale, GnuTLS for protocols that are not used,
  # and, where nothing is encrypted, the settings of OpenSSL.
  export LC_ALL=C GNUTLS_NO_IMPLICIT_INIT=1
  case $url:${SAFECONDUCT_PROXY:-} in
    http://*:https://*) ;;
    http://*) export OPENSSL_CONF=/dev/null ;;
  esac
  exec "${SAFECONDUCT_CURL:-curl}" -q -s -i -g --http1.1 --proto '=http,https' --max-redirs 0 \
    --max-time "$timeout" --limit-rate 8M --suppress-connect-headers --data-binary @- -w . \
    -H 'Content-Type: application/json' -H 'Expect:' -A safeconduct-shell -K /dev/fd/3 3<<CONFIG
$route
url = "$url$1"
header = "X-API-Key: $key"
$agent_header
CONFIG
}

# Posts $body, or what file descriptor 3 has if it is not set, to the path $1 and reads the answer into status,
# answer and h_<header>. The body is no argument of a process or a file of ours either.
ask() {
  reply=$(
    exec 4>&-
    case ${body+set} in
      set) printf '%s' "$body" | post "$1" ;;
      *) post "$1" <&3 ;;
    esac
  )
  code=$?
  case $code in
    0) ;;
    6 | 7) refuse "there is no connection to Safeconduct at $url; check that it is running" ;;
    18) refuse "the answer of Safeconduct at $url was cut off" ;;
    28) refuse "Safeconduct at $url did not answer within $timeout s" ;;
    127) refuse 'curl is missing, which asks Safeconduct' ;;
    *) refuse "Safeconduct at $url could not be asked; curl ended with exit code $code" ;;
  esac
  answer=${reply%.}
  status=100
  while [ "$status" -lt 200 ]; do
    read_head
  done
  # Without a length a cut off answer looks whole.
  [ -n "$framed" ] || refuse "the answer of Safeconduct at $url has no length"
}

# Reads one head off $answer; interim answers (1xx) have one of their own. A header that comes twice gets
# both values, which no script accepts.
read_head() {
  h_exit= h_output= h_reason= h_type= h_allow= h_decision= h_approval= h_link= framed=
  status=999
  while :; do
    case $answer in
      *"$newline"*) ;;
      *) refuse "the answer of Safeconduct at $url is not HTTP" ;;
    esac
    line=${answer%%"$newline"*}
    answer=${answer#*"$newline"}
    line=${line%?}
    value=${line#*:}
    value=${value# }
    case $line in
      '') break ;;
      HTTP/1.[01]\ [1-5][0-9][0-9]*) line=${line#* } status=${line%% *} ;;
      [Ss]afeconduct-[Ee]xit:*) h_exit=$h_exit$value ;;
      [Ss]afeconduct-[Oo]utput:*) h_output=$h_output$value ;;
      [Ss]afeconduct-[Rr]eason:*) h_reason=$h_reason$value ;;
      [Ss]afeconduct-[Aa]llow:*) h_allow=$h_allow$value ;;
      [Ss]afeconduct-[Dd]ecision-[Ii]d:*) h_decision=$h_decision$value ;;
      [Ss]afeconduct-[Aa]pproval-[Ii]d:*) h_approval=$h_approval$value ;;
      [Ss]afeconduct-[Aa]pproval-[Ll]ink:*) h_link=$h_link$value ;;
      [Cc]ontent-[Tt]ype:*) h_type=$h_type$value ;;
      [Cc]ontent-[Ll]ength:* | [Tt]ransfer-[Ee]ncoding:*[Cc]hunked) framed=yes ;;
    esac
  done
}
