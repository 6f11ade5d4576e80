#include "time/parts.hpp"

#include <algorithm>

namespace warpwright::timing {
namespace {

// Behind the first kept launch from begin on, or behind the last launch.
std::size_t kept_end(const Block& block, std::size_t begin) {
    std::size_t end = begin;
    while (end < block.launches.size() && !block.launches[end].keep) {
        ++end;
    }
    return (std::min)(end + 1, block.launches.size());
}

}  // namespace

std::vector<std::size_t> part_ends(const Block& block, std::size_t begin, std::size_t most) {
    std::vector<std::size_t> ends;
    while (begin < block.launches.size()) {
        const std::size_t stop = kept_end(block, begin);
        const std::size_t parts = (stop - begin + most - 1) / most;
        const std::size_t part = (stop - begin + parts - 1) / parts;
        for (; begin < stop; begin = ends.back()) {
            ends.push_back((std::min)(stop, begin + part));
        }
    }
    return ends;
}

}  // namespace warpwright::timing
