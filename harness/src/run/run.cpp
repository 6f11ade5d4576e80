#include "run/run.hpp"

#include "protocol/faults.hpp"

namespace warpwright {

RunReply run(Machine&, const RunRequest&) { throw RequestError("run: not built yet"); }

}  // namespace warpwright
