"""What the environment contributes to a model."""

from warpwright.cli.environment import environment
from warpwright.proposer.model.client.options import ModelOptions
from warpwright.proposer.model.prices import read_prices
from warpwright.proposer.registry import ModelSettings


def model_settings() -> ModelSettings:
    """Key and prices of this user. Raises: UsageError naming the file and row of a bad price."""
    found = environment()
    options = ModelOptions(
        api_key=found.api_key, api_key_variable=None if found.api_key is None else "WARPWRIGHT_API_KEY"
    )
    return ModelSettings(options, () if found.prices is None else read_prices(found.prices))
