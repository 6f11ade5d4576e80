#include "time/kept.hpp"

#include "memory/read_back.hpp"

namespace warpwright::timing {

KeptOutputs::KeptOutputs(const Machine& machine, const TimeRequest& request, const ArraySets& sets)
    : machine_(machine), request_(request), sets_(sets) {}

void KeptOutputs::read(std::size_t block, std::size_t launch, std::vector<KeptOutput>& into) const {
    for (std::size_t array = 0; array < request_.arrays.size(); ++array) {
        const ArraySpec& spec = request_.arrays[array];
        if (spec.is_output()) {
            const driver::DevicePointer from = sets_.address(launch % sets_.count(), array);
            into.push_back({block, launch, machine_.reply_arrays().read(spec, from)});
        }
    }
}

}  // namespace warpwright::timing
