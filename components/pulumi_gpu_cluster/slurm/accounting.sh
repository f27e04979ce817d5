#!/bin/bash
# Brings Slurm's accounting database to what a list says, and changes nothing that is so already.
#
# Lines of the list, fields parted by "|":
#   cluster|NAME            the cluster is registered
#   tres|TYPE/NAME          wait until the controller has told the database of it
#   qos|NAME|SETTING=VALUE...
#   account|NAME|SETTING=VALUE...
#   user|NAME|ACCOUNT
#
# In a list of limits, -1 stands for "no limit", as in sacctmgr.
set -euo pipefail

list=$1
cluster=""
patience=${PATIENCE:-900}

ask() { sacctmgr --noheader --parsable2 show "$@"; }
change() { echo "sacctmgr $*"; sacctmgr --immediate "$@"; }

# Asks again until the answer has the line, or patience is at its end.
await() {
  local line=$1 waited=0 answer
  shift
  until answer=$(ask "$@" 2>&1) && { [ -z "$line" ] || grep -qxF -- "$line" <<<"$answer"; }; do
    if [ "$waited" -ge "$patience" ]; then
      echo "no ${line:-answer} after $waited s; the last one was: $answer" >&2
      exit 1
    fi
    sleep 2
    waited=$((waited + 2))
  done
}

# One spelling for a list of limits or names: in order, without those that are no limits.
plain() { tr ',' '\n' <<<"$1" | grep -vxE '|.*=-1|-1' | sort | paste -sd, || true; }

# What an entry has of each setting, one per line; nothing where there is no such entry.
has() {
  local kind=$1 name=$2 settings=$3
  if [ "$kind" = qos ]; then
    ask qos where "name=$name" "format=name,$settings" | grep "^$name|" || true
  else
    # Associations of the account's users stand beside its own, which has no user.
    ask associations where "cluster=$cluster" "account=$name" "format=user,account,$settings" |
      grep "^|$name|" | cut -d '|' -f 2- || true
  fi
}

differs() {
  local -a have=() 
  IFS='|' read -ra have <<<"$1"
  shift
  local index=1 setting
  for setting in "$@"; do
    [ "$(plain "${have[index]:-}")" = "$(plain "${setting#*=}")" ] || return 0
    index=$((index + 1))
  done
  return 1
}

ensure() {
  local kind=$1 name=$2 entry settings
  shift 2
  settings=$(printf '%s,' "${@%%=*}")
  entry=$(has "$kind" "$name" "${settings%,}")
  if [ -z "$entry" ]; then
    if [ "$kind" = account ]; then
      change add account "$name" "cluster=$cluster" parent=root
    else
      change add "$kind" "$name"
    fi
    entry=$(has "$kind" "$name" "${settings%,}")
  fi
  if differs "$entry" "$@"; then
    if [ "$kind" = account ]; then
      change modify account where "name=$name" "cluster=$cluster" set "$@"
    else
      change modify "$kind" where "name=$name" set "$@"
    fi
  fi
}

await "" cluster
while IFS='|' read -ra line; do
  case ${line[0]} in
    cluster)
      cluster=${line[1]}
      if ! ask cluster format=cluster | grep -qxF -- "$cluster"; then
        change add cluster "$cluster"
      fi
      ;;
    tres) await "${line[1]/\//|}" tres format=type,name ;;
    qos | account) ensure "${line[@]}" ;;
    user)
      if [ -z "$(ask associations where "cluster=$cluster" "account=${line[2]}" "user=${line[1]}" format=user)" ]; then
        change add user "${line[1]}" "cluster=$cluster" "account=${line[2]}"
      fi
      ;;
    *)
      echo "unknown: ${line[0]}" >&2
      exit 1
      ;;
  esac
done <"$list"
echo "accounting is as the list says"
