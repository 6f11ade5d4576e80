#include "memory/read_back.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "driver/error.hpp"
#include "protocol/npy.hpp"

namespace warpwright::memory {

HostBytes read_back(const driver::Api& api, driver::Stream stream, driver::DevicePointer from, std::size_t bytes) {
    const HostBytes to(bytes);
    if (bytes != 0) {
        WARPWRIGHT_CALL(api, copy_to_host, to.data(), from, bytes, stream);
        WARPWRIGHT_CALL(api, context_synchronize, );
    }
    return to;
}

NamedArray ReplyArrays::read(const ArraySpec& array, driver::DevicePointer from) const {
    NamedArray output{array.name, array.descr, array.shape, {}};
    if (exchange_ != nullptr && array.bytes() > largest_inline_attachment) {
        const std::shared_ptr<OutgoingFile> file = exchange_->create();
        if (write_to(*file, array, from)) {
            output.file = file;
            return output;
        }
    }
    output.bytes = read_back(api_, stream_, from, array.bytes());
    return output;
}

// False: there is no room.
bool ReplyArrays::write_to(OutgoingFile& file, const ArraySpec& array, driver::DevicePointer from) const {
    const std::string header = npy_header(array.descr, array.shape);
    bool written = file.append(header.data(), header.size());
    for (std::size_t begin = 0; written && begin < array.bytes(); begin += Staging::capacity_bytes) {
        const std::size_t count = (std::min)(Staging::capacity_bytes, array.bytes() - begin);
        const HostBytes piece = staging_.read(stream_, from + begin, count);
        written = file.append(piece.data(), piece.size());
    }
    return written;
}

}  // namespace warpwright::memory
