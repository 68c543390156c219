#!/bin/bash
# Install missing system packages for one step, if permitted.
#   system_packages.sh venv PYTHON     the requirements of `PYTHON -m venv`
#   system_packages.sh chromium        a browser for the browser tests
#   system_packages.sh bench           what snapshots are measured beside; the bench goes without, too
#   system_packages.sh filesystems     what makes file systems for tests of root; they are skipped without
set -euo pipefail

step=$(dirname "$0")/step.sh
if [ "$(id -u)" = 0 ]; then
  as_root=()
elif [ -t 0 ]; then
  as_root=(sudo) # asks on the terminal
else
  as_root=(sudo -n)
fi

may_install() {
  command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; }
}

apt_install() {
  if ! may_install; then
    printf 'Missing on this system:\n' >&2
    printf '  - %s\n' "$@" >&2
    printf 'Installing them needs apt-get, and root or sudo. Ask an administrator to run\n' >&2
    printf '  apt-get install %s\nthen run make again.\n' "$*" >&2
    exit 1
  fi
  "$step" 'Reading the list of system packages' "${as_root[@]}" apt-get update -qq
  "$step" "Installing system packages: $*" \
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends "$@"
}

# Install the packages of programs that are missing, each given as PROGRAM:PACKAGE; say what is left out.
apt_install_if_possible() {
  local without=$1 missing=() each
  shift
  for each in "$@"; do
    command -v "${each%%:*}" >/dev/null || missing+=("${each##*:}")
  done
  if [ ${#missing[@]} -gt 0 ] && ! { may_install && apt_install "${missing[@]}"; }; then
    echo "$without, as they are not installed: ${missing[*]}"
  fi
}

case ${1:-} in
  venv)
    python=${2:-python3}
    if ! command -v "$python" >/dev/null; then
      apt_install python3 python3-venv
    fi
    if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
      echo "$python is $("$python" --version): Python 3.11 or newer is required." >&2
      echo 'Use another one with  make PYTHON=/path/to/python3.12 ...' >&2
      exit 1
    fi
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
      apt_install "python$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-venv"
    fi
    ;;
  chromium)
    if [ -n "${CHROMIUM:-}" ] || command -v chromium-headless-shell >/dev/null; then
      exit 0
    fi
    # Ubuntu's chromium is a snap, which does not run in containers; Playwright installs its own there.
    if command -v chromium >/dev/null; then
      if grep -qs '^ID=debian' /etc/os-release; then
        apt_install_if_possible 'Browser tests take half as long again' \
          chromium-headless-shell:chromium-headless-shell
      fi
    elif grep -qs '^ID=debian' /etc/os-release; then
      apt_install chromium-headless-shell fonts-dejavu-core
    else
      cd "$(dirname "$0")/../labextension/ui-tests"
      if may_install; then
        jlpm playwright install --with-deps chromium
      else
        jlpm playwright install chromium
      fi
    fi
    ;;
  bench)
    apt_install_if_possible 'Not measured' restic:restic borg:borgbackup rsync:rsync
    ;;
  filesystems)
    if [ "$(id -u)" = 0 ]; then
      apt_install_if_possible 'Not tested' mkfs.btrfs:btrfs-progs mkfs.xfs:xfsprogs
    fi
    ;;
  *)
    echo "usage: $0 venv PYTHON | chromium | bench | filesystems" >&2
    exit 2
    ;;
esac
