// A sum over an array under a key: whoever does not know the key changes bytes without changing the sum with probability
// 2^-32 at most. NH of Black et al., "UMAC: fast and secure message authentication", 1999, on words of 32 bits; its key
// words come from the generator. Compiles under NVRTC and under every C++17 compiler.
#pragma once

#include "generate.cuh"

namespace warpwright::sealed {

using generated::u32;
using generated::u64;
using generated::u8;

// Bytes that share one block of key words.
constexpr u64 block_bytes = 32;

// What one block holds; behind the end of the array zeros.
struct Block {
    u32 word[8];
};

WARPWRIGHT_CALLABLE u64 block_count(u64 bytes) { return bytes / block_bytes + (bytes % block_bytes != 0 ? 1 : 0); }

// data: of the array, at any address. block: below block_count(bytes).
WARPWRIGHT_CALLABLE Block load(const u8* data, u64 bytes, u64 block) {
    Block found{};
    const u64 begin = block * block_bytes;
    const u64 number = bytes - begin < block_bytes ? bytes - begin : block_bytes;
    for (u32 i = 0; i < block_bytes; ++i) {
        const u32 value = i < number ? data[begin + i] : 0;
        found.word[i / 4] |= value << (8 * (i % 4));
    }
    return found;
}

// The block's share. number: of the block among all that are summed under the key; no two have the same.
WARPWRIGHT_CALLABLE u64 share(const Block& block, u64 key_low, u64 key_high, u64 number) {
    const generated::Words key = generated::philox(key_low, key_high, number);
    u64 total = 0;
    for (u32 pair = 0; pair < 4; ++pair) {
        const u32 first = block.word[2 * pair] + static_cast<u32>(key.word[pair]);
        const u32 second = block.word[2 * pair + 1] + static_cast<u32>(key.word[pair] >> 32);
        total += static_cast<u64>(first) * second;
    }
    return total;
}

}  // namespace warpwright::sealed
