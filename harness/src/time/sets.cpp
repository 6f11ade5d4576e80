#include "time/sets.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace warpwright::timing {
namespace {

constexpr unsigned char guard_byte = 0xA5;
constexpr unsigned char poison_byte = 0xFF;

// Odd, and larger than the banks and channels that addresses are spread over.
constexpr std::size_t shift_step = 37 * memory::allocator_alignment;

// What the driver's allocator rounds up to. Source: cuMemAlloc hands out parts of 2 MiB pages in units of 512 bytes;
// larger requests take whole pages.
constexpr std::size_t page_bytes = 2 * 1024 * 1024;
constexpr std::size_t part_bytes = 512;

std::size_t rounded(std::size_t bytes) {
    const std::size_t unit = bytes >= page_bytes / 2 ? page_bytes : part_bytes;
    const std::size_t rest = bytes % unit;
    return rest == 0 ? bytes : memory::saturating_add(bytes, unit - rest);
}

memory::Placing placing(const ArraySpec& array, std::size_t set) {
    return memory::Placing{Placement::start, array.align_bytes, shift_bytes(set)};
}

bool is_poisoned(const ArraySpec& array) { return !array.is_input(); }

}  // namespace

std::size_t shift_bytes(std::size_t set) { return set * shift_step; }

std::size_t needed_bytes(const std::vector<ArraySpec>& arrays, std::size_t sets) {
    std::size_t total = 0;
    for (std::size_t set = 0; set < sets; ++set) {
        for (const ArraySpec& array : arrays) {
            const std::size_t bytes = memory::allocation_bytes(array.bytes(), placing(array, set));
            total = memory::saturating_add(total, rounded(bytes));
        }
    }
    return total;
}

ArraySets::ArraySets(const Machine& machine, const std::vector<ArraySpec>& arrays, std::size_t sets)
    : specs_(arrays), staging_(machine.staging), stream_(machine.context.stream()) {
    for (std::size_t set = 0; set < sets; ++set) {
        std::vector<memory::GuardedArray> copies;
        copies.reserve(arrays.size());
        for (const ArraySpec& array : arrays) {
            copies.push_back(memory::GuardedArray::in_allocation(machine.api, array.bytes(), placing(array, set)));
            copies.back().fill_guards(stream_, guard_byte);
        }
        sets_.push_back(std::move(copies));
    }
}

launch::Addresses ArraySets::addresses(std::size_t set) const {
    launch::Addresses found;
    for (std::size_t array = 0; array < specs_.size(); ++array) {
        found[specs_[array].name] = address(set, array);
    }
    return found;
}

void ArraySets::poison(std::size_t set) const {
    for (std::size_t array = 0; array < specs_.size(); ++array) {
        if (is_poisoned(specs_[array])) {
            sets_[set][array].fill(stream_, poison_byte);
        }
    }
}

void ArraySets::scrub() const {
    for (const std::vector<memory::GuardedArray>& set : sets_) {
        for (const memory::GuardedArray& array : set) {
            array.fill(stream_, poison_byte);
        }
    }
}

std::size_t ArraySets::poisoned_arrays() const {
    return static_cast<std::size_t>(std::count_if(specs_.begin(), specs_.end(), is_poisoned));
}

std::vector<GuardViolation> ArraySets::check_guards() const {
    std::map<std::tuple<std::size_t, memory::Side>, GuardViolation> found;
    for (const std::vector<memory::GuardedArray>& set : sets_) {
        for (std::size_t array = 0; array < set.size(); ++array) {
            for (const memory::GuardChange& violation : set[array].check_guards(staging_, stream_, guard_byte)) {
                const char* side = violation.side == memory::Side::before ? "before" : "after";
                const auto [entry, added] = found.try_emplace(
                    {array, violation.side}, GuardViolation{specs_[array].name, side, 0, violation.offset_bytes});
                entry->second.bytes += violation.bytes;
                entry->second.offset_bytes = (std::min)(entry->second.offset_bytes, violation.offset_bytes);
            }
        }
    }
    std::vector<GuardViolation> violations;
    for (const auto& [key, violation] : found) {
        violations.push_back(violation);
    }
    return violations;
}

}  // namespace warpwright::timing
