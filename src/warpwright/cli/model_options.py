"""Options of a model, each spelled and explained once."""

from typing import Annotated

import typer

ModelOption = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="MODEL",
        help=(
            "Who proposes: builtin (moves led by the diagnosis, and the tuner), tuner (tunables alone), undirected (the same "
            "moves at random, without diagnosis: a baseline), PROVIDER:NAME (a chat model, such as openai:gpt-5, with builtin "
            "behind it), replay:SESSION (the replies recorded there)."
        ),
    ),
]
BaseUrlOption = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        metavar="URL",
        help=(
            "Server that speaks the provider's protocol, by its address such as http://localhost:8000/v1; its key: "
            "WARPWRIGHT_API_KEY."
        ),
        show_default="the provider's",
    ),
]
ModelTimeoutOption = Annotated[
    str | None,
    typer.Option(
        "--model-timeout",
        metavar="T",
        help="Longest silence of the model: 90s, 5m.",
        show_default="2m; 30s in the request that asks whether it answers",
    ),
]
MaxOutputTokensOption = Annotated[
    int | None,
    typer.Option(
        "--max-output-tokens",
        min=256,
        help="Longest reply, thinking included.",
        show_default="the provider's; 8192 with --budget-usd or --max-tokens",
    ),
]
TemperatureOption = Annotated[
    float | None,
    typer.Option("--temperature", min=0.0, max=2.0, help="Sampling temperature.", show_default="the provider's"),
]
BudgetUsdOption = Annotated[
    float | None,
    typer.Option("--budget-usd", metavar="X", min=0.0, help="Money for the model at most.", show_default="no cap"),
]
MaxModelCallsOption = Annotated[
    int | None,
    typer.Option(
        "--max-model-calls",
        min=0,
        help="Requests to the model at most; one that fails and is tried again counts each time.",
        show_default="no cap",
    ),
]
MaxTokensOption = Annotated[
    int | None,
    typer.Option("--max-tokens", min=0, help="Tokens read and written by the model at most.", show_default="no cap"),
]
AllowUnknownPriceOption = Annotated[
    bool,
    typer.Option("--allow-unknown-price", help="Take --budget-usd for what is known where the model has no price."),
]
DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help=(
            "Evaluate and diagnose the initial kernel, print the first prompt and its size, and end: no model is asked, "
            "nothing is kept."
        ),
    ),
]
