#!/bin/bash
# Asks the accounting database whether the site's passwords are those that it was made with, before
# slurmdbd does: that one only says that it cannot connect, again and again.
set -euo pipefail

patience=${PATIENCE:-1500}
# A server that starts on an old volume may be there before it has read its users.
denied_patience=${DENIED_PATIENCE:-120}

ask() {
  MYSQL_PWD=$2 mariadb --no-defaults --skip-ssl --connect-timeout=5 --host="$HOST" \
    --port="${PORT:-3306}" --user="$1" --batch --raw --skip-column-names --execute="$3" 2>&1
}

refuse() {
  printf '%s\n' "db-secret-volume-split: $1" >&2
  exit 1
}

# Asks again until there is an answer. It gives up where the password was refused for as long as
# its last argument says; who does not answer at all is waited for.
await() {
  local user=$1 password=$2 question=$3 refused=$4 waited=0 since=-1
  until answer=$(ask "$user" "$password" "$question"); do
    if [[ $answer == *"ERROR 1045 "* ]]; then
      [ "$since" -ge 0 ] || since=$waited
      [ $((waited - since)) -lt "$refused" ] || return 1
    else
      since=-1
    fi
    if [ "$waited" -ge "$patience" ]; then
      echo "no answer of $HOST after $waited s; the last one was: $answer" >&2
      exit 1
    fi
    sleep 2
    waited=$((waited + 2))
  done
}

await root "$ROOT_PASSWORD" "SELECT 1" "$denied_patience" || refuse \
  "the volume of $HOST was made with another root password than Secret $SECRET has.
Volume and passwords belong together. Nothing in the volume was changed.
Put the passwords that the volume was made with back into the site file (slurm.database), from the
history of the stack file, and run again.
Only where all accounting records may go: delete the database's object and its volume, both, and
run again."

# The operator makes the user once the database is ready, and gives it its rights after that.
await "$DATABASE_USER" "$PASSWORD" "SELECT 1" "$patience" || refuse \
  "root is let into $HOST and $DATABASE_USER is not.
The user was made with another password than Secret $SECRET has, or not at all.
Put the password that it was made with back into the site file (slurm.database.password) and run
again, or see what the database's operator says of its User object."

waited=0
until ask "$DATABASE_USER" "$PASSWORD" "SHOW GRANTS" |
  grep -qE "^GRANT ALL PRIVILEGES ON (\`${DATABASE//_/\\\\?_}\`|\*)\.\*"; do
  if [ "$waited" -ge "$patience" ]; then
    echo "$DATABASE_USER has not all rights on $DATABASE: slurmdbd could not make its tables" >&2
    exit 1
  fi
  sleep 2
  waited=$((waited + 2))
done
echo "$HOST lets $DATABASE_USER in, with all rights on $DATABASE"
