#include "protocol/exchange.hpp"

#include <system_error>
#include <utility>

#include "protocol/faults.hpp"

#ifdef __linux__
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#endif

namespace warpwright {
namespace {
#ifdef __linux__

constexpr std::size_t longest_name = 64;

// A file of the folder and of no other place.
bool is_plain_name(const std::string& name) {
    const bool known = std::all_of(name.begin(), name.end(), [](unsigned char character) {
        return std::isalnum(character) != 0 || character == '-' || character == '.';
    });
    return known && !name.empty() && name.front() != '.' && name.size() <= longest_name;
}

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

int open_file(const std::string& path, int flags) {
    return open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

bool is_no_room(int code) { return code == ENOSPC || code == EDQUOT || code == EFBIG || code == ENOMEM; }

// Closes it in any case.
class OpenFile {
public:
    explicit OpenFile(int number) : number_(number) {}
    ~OpenFile() {
        if (number_ >= 0) {
            close(number_);
        }
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

// All pages at once: one fault each would take longer.
HostBytes map(const OpenFile& file, std::size_t bytes, const std::string& path) {
    void* const first = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.number(), 0);
    if (first == MAP_FAILED) {
        throw ProtocolError("an attachment of " + std::to_string(bytes) + " bytes cannot be mapped: " + path);
    }
    const std::shared_ptr<const void> owner(first, [bytes](void* mapped) { munmap(mapped, bytes); });
    return {owner, static_cast<unsigned char*>(first), bytes};
}

#else

[[noreturn]] void throw_unsupported() {
    throw std::system_error(std::make_error_code(std::errc::not_supported), "--exchange, which works on Linux only");
}

#endif

}  // namespace

#ifdef __linux__

OutgoingFile::OutgoingFile(const std::string& folder, std::string name)
    : path_(folder + "/" + name), name_(std::move(name)), number_(open_file(path_, O_WRONLY | O_CREAT | O_EXCL)) {
    if (number_ < 0) {
        fail(path_);
    }
}

OutgoingFile::~OutgoingFile() {
    close(number_);
    if (!handed_over_) {
        unlink(path_.c_str());
    }
}

bool OutgoingFile::append(const void* from, std::size_t bytes) {
    const char* next = static_cast<const char*>(from);
    const char* const end = next + bytes;
    while (next != end) {
        const ssize_t count = write(number_, next, static_cast<std::size_t>(end - next));
        if (count < 0 && is_no_room(errno)) {
            return false;
        }
        if (count < 0 && errno != EINTR) {
            fail(path_);
        }
        next += (std::max)(count, ssize_t{0});
    }
    bytes_ += bytes;
    return true;
}

Exchange::Exchange(std::string folder) : folder_(std::move(folder)) {
    if (access(folder_.c_str(), R_OK | W_OK | X_OK) != 0) {
        fail("the exchange folder " + folder_);
    }
}

HostBytes Exchange::take(const std::string& name, std::size_t bytes) const {
    if (!is_plain_name(name)) {
        throw ProtocolError("npy_files names " + name + "; allowed: letters, digits, '-' and '.', 64 at most");
    }
    const std::string path = folder_ + "/" + name;
    const OpenFile file(open_file(path, O_RDONLY | O_NONBLOCK));
    struct stat status{};
    if (file.number() < 0 || fstat(file.number(), &status) != 0 || unlink(path.c_str()) != 0) {
        throw ProtocolError("npy_files names " + path +
                            ", which cannot be read: " + std::generic_category().message(errno));
    }
    if (!S_ISREG(status.st_mode) || static_cast<std::size_t>(status.st_size) != bytes || bytes == 0) {
        throw ProtocolError("npy_files names " + path + ", which is no file of the " + std::to_string(bytes) +
                            " bytes that npy_bytes says");
    }
    return map(file, bytes, path);
}

#else

OutgoingFile::OutgoingFile(const std::string&, std::string) { throw_unsupported(); }

OutgoingFile::~OutgoingFile() = default;

bool OutgoingFile::append(const void*, std::size_t) { return false; }

Exchange::Exchange(std::string) { throw_unsupported(); }

HostBytes Exchange::take(const std::string& name, std::size_t) const {
    throw ProtocolError("npy_files names " + name + "; there is no exchange folder");
}

#endif

std::unique_ptr<OutgoingFile> Exchange::create() {
    return std::make_unique<OutgoingFile>(folder_, "reply-" + std::to_string(created_++) + ".npy");
}

}  // namespace warpwright
