#include "time/time.hpp"

#include "protocol/faults.hpp"

namespace warpwright {

TimeReply time(Machine&, const TimeRequest&) { throw RequestError("time: not built yet"); }

}  // namespace warpwright
