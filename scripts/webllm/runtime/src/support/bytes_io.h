/** Streams that read from bytes in memory and append to a string. */
#ifndef TVM_SUPPORT_BYTES_IO_H_
#define TVM_SUPPORT_BYTES_IO_H_

#include <tvm/ffi/string.h>
#include <tvm/support/serializer.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace tvm {
namespace support {

/** The bytes must outlive it. */
class BytesInStream : public Stream {
 public:
  using Stream::Read;
  using Stream::Write;
  explicit BytesInStream(const std::string& bytes) : data_(bytes.data()), left_(bytes.size()) {}
  explicit BytesInStream(const ffi::Bytes& bytes) : data_(bytes.data()), left_(bytes.size()) {}

  size_t Read(void* data, size_t size) final {
    const size_t count = std::min(size, left_);
    if (count > 0) std::memcpy(data, data_, count);
    data_ += count;
    left_ -= count;
    return count;
  }
  size_t Write(const void*, size_t) final { return 0; }

 private:
  const char* data_;
  size_t left_;
};

class BytesOutStream : public Stream {
 public:
  using Stream::Read;
  using Stream::Write;
  explicit BytesOutStream(std::string* result) : result_(result) {}

  size_t Read(void*, size_t) final { return 0; }
  size_t Write(const void* data, size_t size) final {
    result_->append(static_cast<const char*>(data), size);
    return size;
  }

 private:
  std::string* result_;
};

}  // namespace support
}  // namespace tvm

#endif  // TVM_SUPPORT_BYTES_IO_H_
