"""One way to fetch pages from the host on this machine, for all tests of the sync."""

from knowledge.documents.host import Host
from warpwright.knowledge.documents.sync.manifest import Manifest, ManifestPage
from warpwright.knowledge.documents.sync.report import SyncOptions, SyncReport
from warpwright.knowledge.documents.sync.store import PageStore
from warpwright.knowledge.documents.sync.sync import sync

FAST = SyncOptions(gap_s=0.0, timeout_s=5.0)
AGENT = "warpwright/0.1.0"


def manifest_of(host: Host, *paths: str) -> Manifest:
    """These pages of the host."""
    return Manifest(host.address, tuple(ManifestPage("bpg", path, path.strip("/")) for path in paths))


def synced(host: Host, store: PageStore, *paths: str, options: SyncOptions = FAST) -> SyncReport:
    """The report of one sync of these pages."""
    return sync(store, manifest_of(host, *paths), AGENT, options, lambda result: None)
