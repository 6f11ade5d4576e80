"""A chat model as proposer: adapter, prompt, protocol of replies, tools."""
