#!/bin/sh
# Publishes and activates the pack of records, then asks three questions by it.
# Needs curl; SAFECONDUCT is the address, SAFECONDUCT_KEY a key with the scope read,
# SAFECONDUCT_ORG the organization's id and SAFECONDUCT_ADMIN_TOKEN the admin token.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
packs="$SAFECONDUCT/api/orgs/$SAFECONDUCT_ORG/policies"

admin() {
  curl -sS --fail-with-body -H "Authorization: Bearer $SAFECONDUCT_ADMIN_TOKEN" "$@"
}

ask() {
  curl -sS --fail-with-body "$SAFECONDUCT/access/v1/$1" -H "Authorization: Bearer $SAFECONDUCT_KEY" \
    -H 'Content-Type: application/json' -d "$2"
  echo
}

admin "$packs" -H 'Content-Type: application/json' -d @"$here/records.json" > /dev/null
admin -X POST "$packs/acme.records.v1/activate" > /dev/null

# May Alice read record 1? Yes.
ask evaluation '{"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"},
  "resource": {"type": "record", "id": "record-1"}}'
# May Bob write it? No: he is none of its writers.
ask evaluation '{"subject": {"type": "user", "id": "bob"}, "action": {"name": "write"},
  "resource": {"type": "record", "id": "record-1"}}'
# Who may write record 2, which is archived? Bob, an admin.
ask search/subject '{"subject": {"type": "user"}, "action": {"name": "write"},
  "resource": {"type": "record", "id": "record-2"}}'
