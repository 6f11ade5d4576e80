#include "run/run_arrays.hpp"

#include <algorithm>
#include <set>

#include "driver/error.hpp"
#include "memory/layout.hpp"
#include "memory/mapped_pages.hpp"
#include "memory/read_back.hpp"
#include "protocol/faults.hpp"

namespace warpwright {
namespace {

void check_names(const RunRequest& request) {
    std::set<std::string> names;
    for (const ArraySpec& array : request.arrays) {
        if (!names.insert(array.name).second) {
            throw RequestError("arrays: two are called " + array.name);
        }
    }
    for (const std::string& name : request.returned) {
        if (names.count(name) == 0) {
            throw RequestError("return: there is no array " + name);
        }
    }
}

// Why there can be no unmapped pages around arrays, as far as that is known without trying.
std::optional<std::string> find_obstacle(const Machine& machine, bool plain_memory) {
    if (plain_memory) {
        return "the request asks for plain memory";
    }
    if (machine.context.attribute(driver::virtual_memory_management) == 0) {
        return "this GPU has no virtual memory management";
    }
    return std::nullopt;
}

memory::Placing placing_of(const ArraySpec& array, Placement placement) { return {placement, array.align_bytes, 0}; }

std::size_t region_bytes(const ArraySpec& array, Placement placement, std::optional<std::size_t> granule) {
    const memory::Placing placing = placing_of(array, placement);
    return granule ? memory::layout_in_pages(array.bytes(), placing, *granule).region_bytes
                   : memory::allocation_bytes(array.bytes(), placing);
}

void require_memory(const Machine& machine, const RunRequest& request, bool pages) {
    const std::optional<std::size_t> granule =
        pages ? std::optional<std::size_t>(memory::granule_bytes(machine.api, machine.context.device())) : std::nullopt;
    std::size_t needed = request.plain_memory ? 0 : largest_input_bytes(request.arrays);
    for (const ArraySpec& array : request.arrays) {
        try {
            needed = memory::saturating_add(needed, region_bytes(array, request.placement, granule));
        } catch (const RequestError& error) {
            throw RequestError("array " + array.name + ": " + error.what());
        }
    }
    memory::require_free(machine.api, needed, "the arrays of this run with their guards");
}

}  // namespace

RunArrays::RunArrays(const Machine& machine, const RunRequest& request) : machine_(machine), request_(request) {
    check_names(request);
    for (const ArraySpec& array : request.arrays) {
        if (array.is_input()) {
            static_cast<void>(memory::value_of(array, request.values));
        }
    }
    no_pages_ = find_obstacle(machine, request.plain_memory);
    if (!no_pages_) {
        try {
            allocate(true);
            return;
        } catch (const driver::DriverError& error) {  // the driver has no such functions, or permission is missing
            no_pages_ = error.what();
            arrays_.clear();
        }
    }
    allocate(false);
}

void RunArrays::allocate(bool pages) {
    require_memory(machine_, request_, pages);
    for (const ArraySpec& array : request_.arrays) {
        const memory::Placing placing = placing_of(array, request_.placement);
        arrays_.push_back(
            pages ? memory::GuardedArray::in_pages(machine_.api, machine_.context.device(), array.bytes(), placing)
                  : memory::GuardedArray::in_allocation(machine_.api, array.bytes(), placing));
    }
}

launch::Addresses RunArrays::addresses() const {
    launch::Addresses found;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        found[request_.arrays[i].name] = arrays_[i].address();
    }
    return found;
}

void RunArrays::fill(const memory::InputSource& inputs) const {
    const driver::Stream stream = machine_.context.stream();
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        const ArraySpec& array = request_.arrays[i];
        arrays_[i].fill_guards(stream, request_.guard);
        if (array.is_input()) {
            inputs.fill(stream, array, memory::value_of(array, request_.values), arrays_[i].address());
        } else {
            arrays_[i].fill(stream, array.zeroed ? static_cast<unsigned char>(0) : request_.poison);
        }
    }
}

std::vector<GuardViolation> RunArrays::check_guards() const {
    std::vector<GuardViolation> violations;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        for (const memory::GuardChange& change :
             arrays_[i].check_guards(machine_.staging, machine_.context.stream(), request_.guard)) {
            const char* side = change.side == memory::Side::before ? "before" : "after";
            violations.push_back({request_.arrays[i].name, side, change.bytes, change.offset_bytes});
        }
    }
    return violations;
}

std::vector<NamedArray> RunArrays::read_returned() const {
    std::vector<NamedArray> outputs;
    for (const std::string& name : request_.returned) {
        const auto found = std::find_if(request_.arrays.begin(), request_.arrays.end(),
                                        [&name](const ArraySpec& array) { return array.name == name; });
        const memory::GuardedArray& array = arrays_[static_cast<std::size_t>(found - request_.arrays.begin())];
        outputs.push_back(machine_.reply_arrays().read(*found, array.address()));
    }
    return outputs;
}

std::size_t largest_input_bytes(const std::vector<ArraySpec>& arrays) {
    std::size_t largest = 0;
    for (const ArraySpec& array : arrays) {
        if (array.role == Role::in) {
            largest = (std::max)(largest, array.bytes());
        }
    }
    return largest;
}

}  // namespace warpwright
