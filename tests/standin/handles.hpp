// Handles given to the caller: those that are alive, so that a handle that was destroyed is an error and no crash.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace warpwright::standin {

template <class T>
class Handles {
public:
    T* add(std::shared_ptr<T> object) {
        const std::lock_guard lock(mutex_);
        T* const handle = object.get();
        alive_[handle] = std::move(object);
        return handle;
    }

    // Null: not alive.
    [[nodiscard]] std::shared_ptr<T> find(T* handle) const {
        const std::lock_guard lock(mutex_);
        const auto found = alive_.find(handle);
        return found == alive_.end() ? nullptr : found->second;
    }

    // False: was not alive.
    bool remove(T* handle) {
        const std::lock_guard lock(mutex_);
        return alive_.erase(handle) == 1;
    }

    [[nodiscard]] std::vector<std::shared_ptr<T>> all() const {
        const std::lock_guard lock(mutex_);
        std::vector<std::shared_ptr<T>> objects;
        for (const auto& [handle, object] : alive_) {
            objects.push_back(object);
        }
        return objects;
    }

    void clear() {
        const std::lock_guard lock(mutex_);
        alive_.clear();
    }

private:
    mutable std::mutex mutex_;
    std::unordered_map<T*, std::shared_ptr<T>> alive_;
};

}  // namespace warpwright::standin
