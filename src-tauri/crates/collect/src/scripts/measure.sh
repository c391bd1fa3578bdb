# Measures how much of the disk a folder takes, and how much of that git would ignore. Says so far as it got: KiB, and
# how many of how many parts.

measure() {
  enter 0 "$1" || return 1
  path=$top ceiling=${top%/*}
  set +f
  set -- "$path"/* "$path"/.[!.]* "$path"/..?*
  set -f
  parts=$# part=0 total=0 unseen=
  while [ "$#" -gt 0 ]; do
    part=$((part + 1))
    if [ -e "$1" ] || [ -L "$1" ]; then
      out=$(du -skx "$1" 2>/dev/null 3<&- 4>&-) || unseen=y
      size=${out%%[!0-9]*}
      total=$((total + ${size:-0}))
    fi
    progress "$total" "$((part * 1000 / parts))"
    shift
  done
  ignored=
  if [ -n "$git" ] && [ "$(g -C "$path" rev-parse --is-inside-work-tree 2>/dev/null)" = true ]; then
    ignored=$( (g -C "$path" ls-files --others --ignored --exclude-standard --directory -z 2>/dev/null) |
      # Nothing is no reason to measure where one stands.
      (cd "$path" && xargs -0 sh -c '[ "$#" -eq 0 ] || exec du -skx "$@"' sh 2>/dev/null 3<&- 4>&-) | {
      sum=0
      while read -r size rest; do
        case $size in
        *[!0-9]* | '') ;;
        *) sum=$((sum + size)) ;;
        esac
      done
      echo "$sum"
    })
  fi
  say Q "$total" "$ignored" "$unseen" "$close"
}
