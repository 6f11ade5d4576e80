"""The providers by the first word of `PROVIDER:NAME`: one row each."""

import importlib.util
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider. module, chat_class: LangChain's class. package: what to install, of extra `extra` where there is one; empty
    for a class that the user named.

    key_variables: where the provider's library looks for the key, first match wins; empty = none is needed.
    """

    name: str
    module: str
    chat_class: str
    package: str
    extra: str | None = None
    key_variables: tuple[str, ...] = ()

    @property
    def installed(self) -> bool:
        """Whether its package is here; nothing is imported."""
        return importlib.util.find_spec(self.module.partition(".")[0]) is not None

    @property
    def remedy(self) -> str:
        """The command that installs it. Of a module that the user named, none: it may be mistyped, and packages of others have
        such names.
        """
        if not self.package:
            return f"Known providers: {known_names()}. For a class of your own install the package that has it."
        return f"pip install 'warpwright[{self.extra}]'" if self.extra else f"pip install {self.package}"


PROVIDERS = (
    Provider("openai", "langchain_openai", "ChatOpenAI", "langchain-openai", "openai", ("OPENAI_API_KEY",)),
    Provider(
        "anthropic", "langchain_anthropic", "ChatAnthropic", "langchain-anthropic", "anthropic", ("ANTHROPIC_API_KEY",)
    ),
    Provider(
        "google",
        "langchain_google_genai",
        "ChatGoogleGenerativeAI",
        "langchain-google-genai",
        "google",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    ),
    Provider("ollama", "langchain_ollama", "ChatOllama", "langchain-ollama", "ollama"),
    Provider("deepseek", "langchain_deepseek", "ChatDeepSeek", "langchain-deepseek", None, ("DEEPSEEK_API_KEY",)),
    Provider("groq", "langchain_groq", "ChatGroq", "langchain-groq", None, ("GROQ_API_KEY",)),
    Provider("mistralai", "langchain_mistralai", "ChatMistralAI", "langchain-mistralai", None, ("MISTRAL_API_KEY",)),
    Provider("xai", "langchain_xai", "ChatXAI", "langchain-xai", None, ("XAI_API_KEY",)),
)


def provider(name: str) -> Provider | None:
    """The row of that name. `module.Class` names any other chat model of LangChain."""
    for row in PROVIDERS:
        if row.name == name:
            return row
    module, dot, chat_class = name.rpartition(".")
    if dot and module and chat_class.isidentifier():
        return Provider(name, module, chat_class, "")
    return None


def known_names() -> str:
    """Every provider that has a row, in words."""
    return ", ".join(row.name for row in PROVIDERS)
