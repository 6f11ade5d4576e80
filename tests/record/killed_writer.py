"""A process that is killed: repeats a finished session in another one, from wherever that one's record stands."""

import sys
from pathlib import Path

from warpwright.record.session import Session


def main() -> None:
    model = Session.open(Path(sys.argv[1]), lock=False)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    with Session.open(Path(sys.argv[2])) as session:
        for attempt in model.attempts():
            number = attempt.number
            if number > session.attempt_count:
                assert session.begin(attempt.candidate, attempt.hypothesis, attempt.proposer, attempt.parent) == number
                session.finish(number, attempt.evaluation)
            if number == session.incumbent():
                session.promote(number)
            for point in model.tuning(number)[len(session.tuning(number)) :]:
                session.add_tuning_point(number, point)


if __name__ == "__main__":
    main()
