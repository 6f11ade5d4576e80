"""`warpwright check`: lint a workload, run its oracle and its initial kernel."""

from warpwright.cli.options import DeviceOption, JsonOption, WorkloadArgument


def check(workload: WorkloadArgument, device: DeviceOption = "auto", json: JsonOption = False) -> int:
    """Say everything that would make a result untrustworthy.

    Exit code 2 for an error or an approval that an edit made void, 3 if the initial kernel fails.
    """
    from warpwright.cli.bench_options import bench_options, device_options
    from warpwright.cli.output import print_json, results, say
    from warpwright.device.registry import notice
    from warpwright.errors import InputError, NoCandidatePassed
    from warpwright.evaluation.bench import fresh_secret, open_bench
    from warpwright.evaluation.second_opinion import second_opinion
    from warpwright.evaluation.summary import evaluation_to_json
    from warpwright.report.tables import evaluation_table, lint_table
    from warpwright.workload.approval import approval_text, approval_to_json, read_approval
    from warpwright.workload.loader import load_workload

    loaded = load_workload(workload)
    approval = read_approval(loaded)
    if approval is not None:
        say(approval_text(approval))
    with open_bench(loaded, device, fresh_secret(), bench_options()) as bench:
        say(notice(device, bench.device, device_options()) or f"device: {bench.device.description}")
        findings = bench.lint()
        second_opinion(bench.evaluator)
        result = bench.evaluator.evaluate(loaded.initial)
    if json:
        lint = [{"severity": f.severity, "message": f.message, "case": f.case} for f in findings]
        document = {"workload": loaded.name, "lint": lint, "initial": evaluation_to_json(result)}
        print_json({**document, "approval": approval_to_json(approval)})
    else:
        results().print(lint_table(findings))
        results().print(evaluation_table(result))
    if any(f.severity == "error" for f in findings) or (approval is not None and not approval.valid):
        return InputError.exit_code
    return 0 if result.outcome.correct else NoCandidatePassed.exit_code
