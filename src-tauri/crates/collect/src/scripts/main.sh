# What every question begins and ends with. `main` gets: the two words that frame the answer, the name of the
# question, seconds for all of its facts, seconds for any one program, what the question is about, and the first word
# again, without which something was cut off.

# Ends programs of this roll call that have run for longer than $limit seconds, so that what one cannot tell keeps
# nobody from the rest. Shells are spared: they wait for programs, and say what became of them.
end_slow() {
  if [ -r /proc/uptime ] && [ -r "/proc/$$/stat" ]; then
    read -r line <"/proc/$$/stat"
    own=${line#*'('}
    own=${own%')'*}
    set -- ${line##*') '}
    group=$3
    read -r line </proc/uptime
    now=${line%%.*}
    set +f
    for at in /proc/[0-9]*/stat; do
      set -f
      line=
      { read -r line <"$at"; } 2>/dev/null
      [ -n "$line" ] || continue
      name=${line#*'('}
      name=${name%')'*}
      set -- ${line##*') '}
      # Of the fields behind the name, the third is the process group and the twentieth when it started, in
      # hundredths of a second.
      if [ "$3" = "$group" ] && [ "$name" != "$own" ] && [ "$((now - ${20} / 100))" -ge "$limit" ]; then
        kill -KILL "${line%% *}" 2>/dev/null
      fi
    done
    set -f
    return 0
  fi
  ps -A -o pid= -o pgid= -o etime= -o comm= 2>/dev/null | {
    group= own= rest=
    while read -r pid of age name; do
      [ "$pid" != "$$" ] || group=$of own=$name
      rest=$rest$pid,$of,$age,$name$nl
    done
    IFS=$nl
    for line in $rest; do
      IFS=,
      set -- $line
      case $3 in
      *-*) seconds=86400 ;;
      *:*:*) seconds=3600 ;;
      *)
        seconds=${3#*:}
        minutes=${3%%:*}
        seconds=$((${minutes#0} * 60 + ${seconds#0}))
        ;;
      esac
      if [ -n "$group" ] && [ "$2" = "$group" ] && [ "$4" != "$own" ] && [ "$seconds" -ge "$limit" ]; then
        kill -KILL "$1" 2>/dev/null
      fi
    done
  }
}

main() {
  [ "$#" -ge 6 ] || exit 64
  eval "last=\${$#}"
  [ "$last" = "$1" ] || exit 64
  LC_ALL=C TZ=UTC0
  export LC_ALL TZ
  nl='
' tab='	' blank=' 	
'
  IFS=$blank
  set -f
  unalias -a 2>/dev/null
  unset -f git ls stat df env sed tr sleep renice getconf uname mount ps du find xargs head kill 2>/dev/null
  unset CDPATH
  PATH=$PATH:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/opt/homebrew/bin:/opt/local/bin:/usr/local/git/bin
  PATH=$PATH:$HOME/.local/bin:$HOME/bin:/run/current-system/sw/bin:$HOME/.nix-profile/bin
  PATH=$PATH:/home/linuxbrew/.linuxbrew/bin:/usr/pkg/bin:/snap/bin
  export PATH
  for name in $(env | sed -n 's/^\(GIT_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$name"; done
  GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0 GIT_ALLOW_PROTOCOL= GIT_NO_LAZY_FETCH=1
  export GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT GIT_ALLOW_PROTOCOL GIT_NO_LAZY_FETCH
  # What is started from here is known by it to a look at who works where.
  ROLLCALL_COLLECTOR=1
  export ROLLCALL_COLLECTOR
  # A person may have git note every call in a file.
  GIT_TRACE2=0 GIT_TRACE2_EVENT=0 GIT_TRACE2_PERF=0
  export GIT_TRACE2 GIT_TRACE2_EVENT GIT_TRACE2_PERF
  # Control characters that part what is told: of fields, of lines, and before what stands for another.
  soh=$(printf '\001\002\005')
  enq=${soh#??}
  stx=${soh#?}
  stx=${stx%?}
  soh=${soh%??}
  close=$2$1
  ceiling=

  cd / || exit 64
  exec 3<&0 4>&1 </dev/null
  # The lease: standard input is open as long as somebody wants the answer.
  (
    while IFS= read -r _; do :; done
    trap '' TERM
    kill -TERM 0
    sleep 1
    kill -KILL 0
  ) <&3 >/dev/null 2>&1 4>&- 3<&- &
  lease=$!
  late=
  trap 'late=1' USR1
  trap 'rung=1' USR2
  limit=$5
  (
    trap 'kill "$nap" 2>/dev/null; exit 0' TERM
    trap '' USR1 USR2
    left=$4 since=0
    while :; do
      sleep 5 >/dev/null 2>&1 &
      nap=$!
      wait "$nap"
      # Loops may outlive a script that was killed.
      kill -0 "$$" 2>/dev/null || { trap '' TERM; kill -TERM 0; exit 0; }
      printf '\000' >&2
      left=$((left - 5))
      if [ "$left" -le 0 ] && [ "$left" -gt -5 ]; then kill -USR1 "$$"; fi
      since=$((since + 5))
      [ "$since" -le "$limit" ] || end_slow
    done
  ) >/dev/null 3<&- 4>&- &
  beat=$!
  renice -n 10 -p "$$" >/dev/null 2>&1 3<&- 4>&-

  flavour= mount_for= mount=
  printf '%s\000' "$1$2" >&4
  system=$(uname -s 2>/dev/null 3<&- 4>&-)
  git=$(g --version 2>/dev/null) || git=
  # What the system calls its machine: systemd and elogind, then what BSD and macOS keep.
  slurp /etc/machine-id || text=
  machine=$text
  case $machine:$system in
  :Darwin) machine=$(sysctl -n kern.uuid 2>/dev/null 3<&- 4>&-) || machine= ;;
  :*BSD) machine=$(sysctl -n kern.hostuuid 2>/dev/null 3<&- 4>&-) || machine= ;;
  esac
  say S "$system" "$git" "$machine"
  distances=
  case $git in
  'git version '[3-9].* | 'git version '[1-9][0-9].* | 'git version 2.'[5-9][0-9]* | 'git version 2.4'[1-9]* | \
    'git version 2.'[1-9][0-9][0-9]*) distances=y ;;
  esac
  find_hung
  # The name of the question is that of its function.
  mode=$3
  shift 5
  "$mode" "$@"
  say Z "$close"
  if [ -n "$late" ]; then
    # Something hangs: the end of the lease ends all of it.
    wait "$lease"
  fi
  kill "$beat" "$lease" 2>/dev/null
  exit 0
}
