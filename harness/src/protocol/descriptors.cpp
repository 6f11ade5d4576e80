#include "protocol/descriptors.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#ifdef _WIN32
#include <io.h>
#include <sys/stat.h>
#else
#include <unistd.h>
#endif

namespace warpwright {
namespace {

constexpr std::size_t largest_piece = std::size_t{1} << 30;  // Windows counts in int

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

#ifdef _WIN32

std::ptrdiff_t read_piece(int number, void* to, std::size_t bytes) {
    return _read(number, to, static_cast<unsigned>(bytes));
}
std::ptrdiff_t write_piece(int number, const void* from, std::size_t bytes) {
    return _write(number, from, static_cast<unsigned>(bytes));
}
void close_number(int number) { _close(number); }
int open_path(const std::string& path, bool to_write) {
    return to_write ? _open(path.c_str(), _O_WRONLY | _O_CREAT | _O_TRUNC | _O_BINARY, _S_IREAD | _S_IWRITE)
                    : _open(path.c_str(), _O_RDONLY | _O_BINARY);
}
int duplicate(int number) { return _dup(number); }
int redirect(int from, int to) { return _dup2(from, to); }
void set_binary(int number) { _setmode(number, _O_BINARY); }

#else

std::ptrdiff_t read_piece(int number, void* to, std::size_t bytes) { return read(number, to, bytes); }
std::ptrdiff_t write_piece(int number, const void* from, std::size_t bytes) { return write(number, from, bytes); }
void close_number(int number) { close(number); }
int open_path(const std::string& path, bool to_write) {
    return to_write ? open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)
                    : open(path.c_str(), O_RDONLY | O_CLOEXEC);
}
int duplicate(int number) { return fcntl(number, F_DUPFD_CLOEXEC, 3); }
int redirect(int from, int to) { return dup2(from, to); }
void set_binary(int) {}

#endif

}  // namespace

Descriptor::~Descriptor() {
    if (number_ >= 0) {
        close_number(number_);
    }
}

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

std::size_t Descriptor::read_some(void* to, std::size_t bytes) const {
    while (true) {
        const std::ptrdiff_t count = read_piece(number_, to, std::min(bytes, largest_piece));
        if (count >= 0) {
            return static_cast<std::size_t>(count);
        }
        if (errno != EINTR) {
            fail("reading a request");
        }
    }
}

void Descriptor::write_all(const void* from, std::size_t bytes) const {
    const char* next = static_cast<const char*>(from);
    while (bytes > 0) {
        const std::ptrdiff_t count = write_piece(number_, next, std::min(bytes, largest_piece));
        if (count < 0 && errno != EINTR) {
            fail("writing");
        }
        if (count > 0) {
            next += count;
            bytes -= static_cast<std::size_t>(count);
        }
    }
}

Descriptor take_standard_input() {
    set_binary(0);
    const int copy = duplicate(0);
    if (copy < 0) {
        fail("standard input");
    }
    return Descriptor(copy);
}

Descriptor take_standard_output() {
    std::fflush(stdout);
    const int copy = duplicate(1);
    if (copy < 0 || redirect(2, 1) < 0) {
        fail("standard output");
    }
    set_binary(copy);
    return Descriptor(copy);
}

Descriptor open_to_read(const std::string& path) {
    const int number = open_path(path, false);
    if (number < 0) {
        fail(path);
    }
    return Descriptor(number);
}

Descriptor open_to_write(const std::string& path) {
    const int number = open_path(path, true);
    if (number < 0) {
        fail(path);
    }
    return Descriptor(number);
}

}  // namespace warpwright
