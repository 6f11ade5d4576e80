// Bytes in and out of file descriptors: the only place that knows how POSIX and Windows read and write them.
#pragma once

#include <cstddef>
#include <string>

namespace warpwright {

// Owns a descriptor.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&&) = delete;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    // Up to `bytes` bytes, at least one; 0 at the end of input. Throws std::system_error.
    [[nodiscard]] std::size_t read_some(void* to, std::size_t bytes) const;
    // All of them. Throws std::system_error: the reader has gone.
    void write_all(const void* from, std::size_t bytes) const;

private:
    int number_;
};

// Standard input, for bytes.
[[nodiscard]] Descriptor take_standard_input();

// A private copy of standard output, for bytes. Afterwards descriptor 1 leads to standard error: what device printf
// and the driver write there cannot get between replies.
[[nodiscard]] Descriptor take_standard_output();

// A file to read, or a new one to write (an old one is replaced). Throws std::system_error that names it.
[[nodiscard]] Descriptor open_to_read(const std::string& path);
[[nodiscard]] Descriptor open_to_write(const std::string& path);

}  // namespace warpwright
