#include "time/kept.hpp"

#include <algorithm>

#include "driver/error.hpp"
#include "memory/layout.hpp"
#include "memory/read_back.hpp"

namespace warpwright::timing {
namespace {

std::size_t aligned(std::size_t bytes) {
    constexpr std::size_t unit = memory::allocator_alignment;
    return memory::saturating_add(bytes, (unit - bytes % unit) % unit);
}

// Bytes that the outputs of one launch take where they are put aside.
std::size_t slot_bytes(const std::vector<ArraySpec>& arrays) {
    std::size_t total = 0;
    for (const ArraySpec& array : arrays) {
        if (array.is_output()) {
            total = memory::saturating_add(total, aligned(array.bytes()));
        }
    }
    return total;
}

// Launches before `end` whose outputs are kept.
std::size_t kept_before(const Block& block, std::size_t end) {
    std::size_t count = 0;
    for (std::size_t launch = 0; launch < end; ++launch) {
        count += block.launches[launch].keep ? 1U : 0U;
    }
    return count;
}

}  // namespace

std::size_t aside_bytes(const TimeRequest& request) {
    std::size_t most = 0;
    for (const Block& block : request.blocks) {
        most = (std::max)(most, kept_before(block, block.launches.size()));
    }
    std::size_t total = 0;
    for (std::size_t launch = 0; launch < most; ++launch) {
        total = memory::saturating_add(total, slot_bytes(request.arrays));
    }
    return total;
}

std::size_t output_count(const std::vector<ArraySpec>& arrays) {
    return static_cast<std::size_t>(
        std::count_if(arrays.begin(), arrays.end(), [](const ArraySpec& array) { return array.is_output(); }));
}

KeptOutputs::KeptOutputs(const Machine& machine, const TimeRequest& request, const ArraySets& sets)
    : machine_(machine), request_(request), sets_(sets), aside_(machine.api, aside_bytes(request)) {}

driver::DevicePointer KeptOutputs::slot(const Block& block, std::size_t launch) const {
    return aside_.address() + kept_before(block, launch) * slot_bytes(request_.arrays);
}

void KeptOutputs::put_aside(const Block& block, std::size_t launch) const {
    driver::DevicePointer to = slot(block, launch);
    for (std::size_t array = 0; array < request_.arrays.size(); ++array) {
        const ArraySpec& spec = request_.arrays[array];
        if (!spec.is_output()) {
            continue;
        }
        if (spec.bytes() != 0) {
            const driver::DevicePointer from = sets_.address(launch % sets_.count(), array);
            WARPWRIGHT_CALL(machine_.api, copy_on_device, to, from, spec.bytes(), machine_.context.stream());
        }
        to += aligned(spec.bytes());
    }
}

void KeptOutputs::scrub() const {
    if (aside_.bytes() != 0) {
        WARPWRIGHT_CALL(machine_.api, fill_bytes, aside_.address(), 0, aside_.bytes(), machine_.context.stream());
    }
}

void KeptOutputs::collect(std::size_t block_index, std::vector<KeptOutput>& into) const {
    const Block& block = request_.blocks[block_index];
    for (std::size_t launch = 0; launch < block.launches.size(); ++launch) {
        if (!block.launches[launch].keep) {
            continue;
        }
        driver::DevicePointer from = slot(block, launch);
        for (std::size_t array = 0; array < request_.arrays.size(); ++array) {
            const ArraySpec& spec = request_.arrays[array];
            if (!spec.is_output()) {
                continue;
            }
            into.push_back({block_index, launch, machine_.reply_arrays().read(spec, from)});
            from += aligned(spec.bytes());
        }
    }
}

}  // namespace warpwright::timing
