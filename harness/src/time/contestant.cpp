#include "time/contestant.hpp"

#include "driver/error.hpp"
#include "time/request_check.hpp"

namespace warpwright::timing {

TimedContestant::TimedContestant(const Machine& machine, const TimeRequest& request, const Contestant& contestant,
                                 const ArraySets& sets)
    : machine_(machine), module_(machine.module(contestant.module)), sets_(sets) {
    for (std::size_t array = 0; array < request.arrays.size(); ++array) {
        const ArraySpec& spec = request.arrays[array];
        if (spec.zeroed && spec.bytes() != 0 && uses(contestant.plan, spec.name)) {
            zeroed_.emplace_back(array, spec.bytes());
        }
    }
    for (std::size_t set = 0; set < sets.count(); ++set) {
        plans_.emplace_back(machine.api, module_, contestant.plan, sets.addresses(set), request.scalars);
    }
}

void TimedContestant::enqueue(std::size_t set) {
    const driver::Stream stream = machine_.context.stream();
    for (const auto& [array, bytes] : zeroed_) {
        WARPWRIGHT_CALL(machine_.api, fill_bytes, sets_.address(set, array), 0, bytes, stream);
    }
    plans_[set].enqueue(stream);
}

void TimedContestant::restore_globals() const { module_.restore_globals(machine_.context.stream()); }

launch::Origin TimedContestant::origin() const { return launches() == 1 ? plans_.front().origin(0) : launch::Origin{}; }

}  // namespace warpwright::timing
