// The .npy format, as far as attachments use it: versions 1.0 and 2.0, C order, little endian, plain element types.
// Source: NumPy Enhancement Proposal 1 and numpy.lib.format.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "protocol/requests.hpp"

namespace warpwright {

// descr: `<f4`, `|u1`, `<V2` ...; shape empty: one element. header_bytes: where the payload begins.
struct NpyHeader {
    std::string descr;
    std::vector<std::size_t> shape;
    std::size_t header_bytes = 0;
};

// Bytes of an element. Throws RequestError that begins with `where` for a type that cannot travel.
[[nodiscard]] std::size_t item_bytes(const std::string& descr, const std::string& where);

// Product of the shape. Throws RequestError if the number of bytes does not fit in 63 bits.
[[nodiscard]] std::size_t element_count(const std::vector<std::size_t>& shape, std::size_t item,
                                        const std::string& where);

// Checks the stream: magic, version, order, and that the payload has the length that type and shape ask for.
// Throws RequestError that begins with `where`.
[[nodiscard]] NpyHeader parse_npy(const HostBytes& stream, const std::string& where);

// What stands behind the header.
[[nodiscard]] HostBytes npy_payload(const HostBytes& stream, const NpyHeader& header);

// What stands before the payload, version 1.0.
[[nodiscard]] std::string npy_header(const std::string& descr, const std::vector<std::size_t>& shape);

}  // namespace warpwright
