/** Byte streams, which the sources in the apache-tvm wheel include and the wheel lacks. */
#ifndef TVM_SUPPORT_IO_H_
#define TVM_SUPPORT_IO_H_

#include <cstddef>
#include <type_traits>

namespace tvm {
namespace support {

/** How a type is written; see serializer.h. */
template <typename T, typename Enable = void>
struct Serializer {
  static constexpr bool enabled = false;
};

class Stream {
 public:
  virtual ~Stream() = default;

  /** Reads at most `size` bytes and returns how many were there. */
  virtual size_t Read(void* data, size_t size) = 0;
  virtual size_t Write(const void* data, size_t size) = 0;

  template <typename T>
  void Write(const T& value) {
    static_assert(Serializer<T>::enabled, "this type has no format");
    Serializer<T>::Write(this, value);
  }
  /** False if the stream ends before the value does. */
  template <typename T>
  bool Read(T* value) {
    static_assert(Serializer<T>::enabled, "this type has no format");
    return Serializer<T>::Read(this, value);
  }
  template <typename T>
  void WriteArray(const T* values, size_t count) {
    for (size_t i = 0; i < count; ++i) this->Write<T>(values[i]);
  }
  template <typename T>
  bool ReadArray(T* values, size_t count) {
    for (size_t i = 0; i < count; ++i)
      if (!this->Read<T>(values + i)) return false;
    return true;
  }
};

}  // namespace support
}  // namespace tvm

#endif  // TVM_SUPPORT_IO_H_
