"""A process that adds lessons to a history until it has added them all, or is killed, or its files may grow no further."""

import sys
from pathlib import Path

from record.history.lessons import lesson, trial
from warpwright.record.history.store import History

TRIALS = 40


def main() -> None:
    history, name, count = History(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
    for limit in map(int, sys.argv[4:]):
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    for number in range(count):
        history.learn(lesson(f"{name}{number}", [trial(attempt=2 + n) for n in range(TRIALS)]))
        if number == 0:
            sys.stdout.write("ready\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
