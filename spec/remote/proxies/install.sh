#!/bin/sh
# Installs the proxies that make audit-proxies holds against the specification,
# and stops the services that come with them: each audit starts its own.
set -eu
if ! command -v nginx >/dev/null || ! command -v haproxy >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  # Nothing of the packages may start by itself.
  policy=/usr/sbin/policy-rc.d
  test -e "$policy" || { printf '#!/bin/sh\nexit 101\n' >"$policy"; chmod +x "$policy"; trap 'rm -f "$policy"' EXIT; }
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends nginx-light haproxy ||
    apt-get install -y -qq --no-install-recommends nginx haproxy
fi
nginx -v
haproxy -v | head -1
