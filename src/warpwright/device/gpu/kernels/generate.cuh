// Inputs made from a recipe and a key: the same bits as a GPU kernel, as plain C++ and in NumPy (docs/harness.md,
// "Generated values"). Compiles under NVRTC and under every C++17 compiler; a C++ compiler must not contract a product
// and a sum into one operation (-ffp-contract=off). Random words: Philox4x64-10 of Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", 2011.
#pragma once

#ifdef __CUDACC__
#define WARPWRIGHT_CALLABLE __device__ inline
#else
#include <cstring>
#define WARPWRIGHT_CALLABLE inline
#endif

namespace warpwright::generated {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

// The numbers are those of RecipeKind and Element in harness/src/protocol/requests.hpp.
enum Kind : u32 { normal, uniform, integers, ones };
enum Type : u32 { f64, f32, f16, bf16, i8, i16, i32, i64_type, u8_type, u16_type, u32_type, u64_type, boolean };

// One array. first, second: of normal (mean, deviation) and uniform (low, high), which make float types only.
// first_integer, range: of integers (least value, number of values; 0 stands for 2^64).
struct Recipe {
    u64 count;
    u32 type;
    u32 kind;
    u64 key_low;
    u64 key_high;
    double first;
    double second;
    u64 first_integer;
    u64 range;
};

// Four words of the stream.
struct Words {
    u64 word[4];
};

// Each operation rounded on its own, whatever the compiler is allowed to contract.
WARPWRIGHT_CALLABLE double product(double a, double b) {
#ifdef __CUDACC__
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}

WARPWRIGHT_CALLABLE double sum(double a, double b) {
#ifdef __CUDACC__
    return __dadd_rn(a, b);
#else
    return a + b;
#endif
}

WARPWRIGHT_CALLABLE double quotient(double a, double b) {
#ifdef __CUDACC__
    return __ddiv_rn(a, b);
#else
    return a / b;
#endif
}

WARPWRIGHT_CALLABLE float product(float a, float b) {
#ifdef __CUDACC__
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

WARPWRIGHT_CALLABLE float sum(float a, float b) {
#ifdef __CUDACC__
    return __fadd_rn(a, b);
#else
    return a + b;
#endif
}

WARPWRIGHT_CALLABLE u32 bits_of(float value) {
#ifdef __CUDACC__
    return __float_as_uint(value);
#else
    u32 bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
#endif
}

WARPWRIGHT_CALLABLE u64 high_product(u64 a, u64 b) {
#ifdef __CUDACC__
    return __umul64hi(a, b);
#else
    const u64 a_low = a & 0xFFFFFFFFu, a_high = a >> 32, b_low = b & 0xFFFFFFFFu, b_high = b >> 32;
    const u64 middle = a_high * b_low + (a_low * b_low >> 32);
    const u64 carry = a_low * b_high + (middle & 0xFFFFFFFFu);
    return a_high * b_high + (middle >> 32) + (carry >> 32);
#endif
}

// Words 4 * block .. 4 * block + 3 of the stream.
WARPWRIGHT_CALLABLE Words philox(u64 key_low, u64 key_high, u64 block) {
    u64 c0 = block + 1, c1 = 0, c2 = 0, c3 = 0;  // NumPy counts before it draws
    for (int round = 0; round < 10; ++round) {
        const u64 high0 = high_product(0xD2E7470EE14C6C93ull, c0), low0 = 0xD2E7470EE14C6C93ull * c0;
        const u64 high1 = high_product(0xCA5A826395121157ull, c2), low1 = 0xCA5A826395121157ull * c2;
        c0 = high1 ^ c1 ^ key_low;
        c1 = low1;
        c2 = high0 ^ c3 ^ key_high;
        c3 = low0;
        key_low += 0x9E3779B97F4A7C15ull;
        key_high += 0xBB67AE8584CAA73Bull;
    }
    return Words{{c0, c1, c2, c3}};
}

// IEEE binary16, to nearest even.
WARPWRIGHT_CALLABLE u16 half_bits(float value) {
    const u32 bits = bits_of(value), magnitude = bits & 0x7FFFFFFFu, sign = bits >> 16 & 0x8000u;
    if (magnitude > 0x7F800000u) {
        return static_cast<u16>(sign | 0x7E00u);
    }
    if (magnitude >= 0x477FF000u) {  // 65520: from here on the nearest is infinity
        return static_cast<u16>(sign | 0x7C00u);
    }
    if (magnitude <= 0x33000000u) {  // 2^-25: half of the least subnormal, a tie that goes to 0
        return static_cast<u16>(sign);
    }
    if (magnitude >= 0x38800000u) {  // 2^-14: the least normal
        const u32 rounded = magnitude + 0xFFFu + (magnitude >> 13 & 1u);
        return static_cast<u16>(sign | (rounded - 0x38000000u) >> 13);
    }
    const u32 significand = (magnitude & 0x7FFFFFu) | 0x800000u, shift = 126u - (magnitude >> 23);
    const u32 kept = significand >> shift, rest = significand & ((1u << shift) - 1u), half = 1u << (shift - 1u);
    const u32 up = (rest > half || (rest == half && (kept & 1u) != 0u)) ? 1u : 0u;
    return static_cast<u16>(sign | (kept + up));
}

// bfloat16, to nearest even.
WARPWRIGHT_CALLABLE u16 bfloat16_bits(float value) {
    const u32 bits = bits_of(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) {
        return static_cast<u16>(bits >> 16 | 0x40u);
    }
    return static_cast<u16>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

WARPWRIGHT_CALLABLE void store_float(void* out, u64 index, u32 type, float value) {
    switch (type) {
        case f16:
            static_cast<u16*>(out)[index] = half_bits(value);
            break;
        case bf16:
            static_cast<u16*>(out)[index] = bfloat16_bits(value);
            break;
        default:
            static_cast<float*>(out)[index] = value;
    }
}

// value: two's complement; what a narrower type cannot hold is cut off.
WARPWRIGHT_CALLABLE void store_integer(void* out, u64 index, u32 type, u64 value) {
    switch (type) {
        case f64:
            static_cast<double*>(out)[index] = static_cast<double>(static_cast<i64>(value));
            break;
        case f32:
        case f16:
        case bf16:
            store_float(out, index, type, static_cast<float>(static_cast<i64>(value)));
            break;
        case i8:
        case u8_type:
            static_cast<u8*>(out)[index] = static_cast<u8>(value);
            break;
        case i16:
        case u16_type:
            static_cast<u16*>(out)[index] = static_cast<u16>(value);
            break;
        case i32:
        case u32_type:
            static_cast<u32*>(out)[index] = static_cast<u32>(value);
            break;
        case boolean:
            static_cast<u8*>(out)[index] = static_cast<u8>(value != 0 ? 1 : 0);
            break;
        default:
            static_cast<u64*>(out)[index] = value;
    }
}

// The deviation of z in store_normal: 2 sqrt(8 (2^32 - 1) / 12).
constexpr double raw_deviation = 107019.83984290015;

WARPWRIGHT_CALLABLE u32 parts_of(u64 word) {
    return static_cast<u32>((word & 0xFFFFu) + (word >> 16 & 0xFFFFu) + (word >> 32 & 0xFFFFu) + (word >> 48));
}

WARPWRIGHT_CALLABLE void store_normal(void* out, u64 index, const Recipe& recipe, u64 word0, u64 word1) {
    const int z = 2 * static_cast<int>(parts_of(word0) + parts_of(word1)) - 524280;
    const double scale = quotient(recipe.second, raw_deviation);
    if (recipe.type == f64) {
        static_cast<double*>(out)[index] = sum(product(static_cast<double>(z), scale), recipe.first);
        return;
    }
    const float scaled = product(static_cast<float>(z), static_cast<float>(scale));
    store_float(out, index, recipe.type, sum(scaled, static_cast<float>(recipe.first)));
}

WARPWRIGHT_CALLABLE void store_uniform(void* out, u64 index, const Recipe& recipe, u64 word) {
    const double width = sum(recipe.second, -recipe.first);
    if (recipe.type == f64) {
        const double part = product(static_cast<double>(word >> 11), 1.0 / 9007199254740992.0);  // 2^-53
        static_cast<double*>(out)[index] = sum(product(part, width), recipe.first);
        return;
    }
    const float part = product(static_cast<float>(word >> 40), 1.0f / 16777216.0f);  // 2^-24
    store_float(out, index, recipe.type,
                sum(product(part, static_cast<float>(width)), static_cast<float>(recipe.first)));
}

WARPWRIGHT_CALLABLE void store_drawn(void* out, u64 index, const Recipe& recipe, u64 word) {
    if (recipe.kind == uniform) {
        store_uniform(out, index, recipe, word);
    } else {
        store_integer(out, index, recipe.type, recipe.first_integer + (recipe.range == 0 ? word : word % recipe.range));
    }
}

// Elements that share one block of four words.
WARPWRIGHT_CALLABLE u64 elements_per_block(u32 kind) { return kind == normal ? 2 : 4; }

// Blocks that make the whole array.
WARPWRIGHT_CALLABLE u64 block_count(const Recipe& recipe) {
    const u64 each = elements_per_block(recipe.kind);
    return recipe.count / each + (recipe.count % each != 0 ? 1 : 0);
}

// Writes the elements of one block, those beyond the end of the array left out. out: element 0 of the array.
WARPWRIGHT_CALLABLE void store_block(void* out, const Recipe& recipe, u64 block) {
    const u64 each = elements_per_block(recipe.kind), begin = block * each;
    const u64 number = recipe.count - begin < each ? recipe.count - begin : each;
    if (recipe.kind == ones) {
        for (u64 i = 0; i < number; ++i) {
            store_integer(out, begin + i, recipe.type, 1);
        }
        return;
    }
    const Words words = philox(recipe.key_low, recipe.key_high, block);
    for (u32 i = 0; i < 4 && i < number; ++i) {
        if (recipe.kind != normal) {
            store_drawn(out, begin + i, recipe, words.word[i]);
        } else if (i < 2) {
            store_normal(out, begin + i, recipe, words.word[2 * i], words.word[2 * i + 1]);
        }
    }
}

}  // namespace warpwright::generated
