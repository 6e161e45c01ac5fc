/** Base64 over another stream, in which tensors appear in JSON. Both directions hold the whole text in memory. */
#ifndef TVM_SUPPORT_BASE64_H_
#define TVM_SUPPORT_BASE64_H_

#include <tvm/ffi/extra/base64.h>

#include <string>

#include "bytes_io.h"

namespace tvm {
namespace support {

class Base64OutStream : public Stream {
 public:
  using Stream::Read;
  using Stream::Write;
  explicit Base64OutStream(Stream* target) : target_(target) {}

  size_t Read(void*, size_t) final { return 0; }
  size_t Write(const void* data, size_t size) final {
    bytes_.append(static_cast<const char*>(data), size);
    return size;
  }
  void Finish() {
    const ffi::String text = ffi::Base64Encode(ffi::Bytes(bytes_));
    target_->Write(static_cast<const void*>(text.data()), text.size());
  }

 private:
  Stream* target_;
  std::string bytes_;
};

class Base64InStream : public Stream {
 public:
  using Stream::Read;
  using Stream::Write;
  explicit Base64InStream(Stream* source) : source_(source) {}

  /** Reads the whole source. */
  void InitPosition() {
    std::string text;
    char part[1024];
    while (const size_t count = source_->Read(static_cast<void*>(part), sizeof(part))) text.append(part, count);
    bytes_ = ffi::Base64Decode(ffi::String(text));
  }
  size_t Read(void* data, size_t size) final {
    const size_t count = std::min(size, bytes_.size() - at_);
    std::memcpy(data, bytes_.data() + at_, count);
    at_ += count;
    return count;
  }
  size_t Write(const void*, size_t) final { return 0; }

 private:
  Stream* source_;
  ffi::Bytes bytes_;
  size_t at_ = 0;
};

}  // namespace support
}  // namespace tvm

#endif  // TVM_SUPPORT_BASE64_H_
