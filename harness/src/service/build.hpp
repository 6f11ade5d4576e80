// Which program this is; the definitions are generated when it is built.
#pragma once

namespace warpwright {

extern const char* const harness_version;  // of the Python package: 0.1.0
extern const char* const build_hash;       // SHA-256 over the harness's sources

}  // namespace warpwright
