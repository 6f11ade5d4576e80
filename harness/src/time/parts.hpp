// How the launches of a block are divided: what is queued at once, and awaited before the next is queued.
#pragma once

#include <cstddef>
#include <vector>

#include "protocol/requests.hpp"

namespace warpwright::timing {

// Ends of the parts of launches [begin, all): a kept launch is the last one of its part, so that nothing is queued
// behind it that could change its outputs; parts between two kept launches are of like size. most: launches of a part,
// at least 1.
[[nodiscard]] std::vector<std::size_t> part_ends(const Block& block, std::size_t begin, std::size_t most);

}  // namespace warpwright::timing
