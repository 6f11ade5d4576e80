// The exchange folder: where client and harness hand large attachments to each other as files in memory, mapped by who
// receives them (docs/harness.md, "Messages"). POSIX only.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "protocol/host_bytes.hpp"

namespace warpwright {

// Attachments up to this size follow their line: a file would cost more than it saves.
inline constexpr std::size_t largest_inline_attachment = std::size_t{64} * 1024;

// A file of the folder that this side writes. Its name vanishes with it unless it was handed over.
class OutgoingFile {
public:
    // A new one. Throws std::system_error.
    OutgoingFile(const std::string& folder, std::string name);
    ~OutgoingFile();
    OutgoingFile(const OutgoingFile&) = delete;
    OutgoingFile& operator=(const OutgoingFile&) = delete;

    // Whether there was room: in the memory behind the folder, and below the largest file that this process may write.
    // (A mapped file would need its pages zeroed first, and end the process where there is no room.)
    // Throws std::system_error for what is worse.
    [[nodiscard]] bool append(const void* from, std::size_t bytes);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

    // From now on it is the other side that removes the name.
    void hand_over() { handed_over_ = true; }

private:
    std::string path_;
    std::string name_;
    int number_ = -1;
    std::size_t bytes_ = 0;
    bool handed_over_ = false;
};

class Exchange {
public:
    // Throws std::system_error that names the folder if it is none that can be used.
    explicit Exchange(std::string folder);

    // A new file. Throws std::system_error.
    [[nodiscard]] std::unique_ptr<OutgoingFile> create();

    // The other side's file of that name and size, whose name is removed at once. Throws ProtocolError.
    [[nodiscard]] HostBytes take(const std::string& name, std::size_t bytes) const;

private:
    std::string folder_;
    std::size_t created_ = 0;
};

}  // namespace warpwright
