// Fuzzes the reader of comments in Ogg files. OggComments.swift is a symbolic link to the reader's
// file in the module HapticBridgeSound, which does not export the reader.

@_cdecl("fuzz_host_ogg")
public func fuzzOgg(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Input(bytes, count).bytes
    let value = OggComments.value(of: "ANDROID_HAPTIC", in: input)
    promise(
        value == nil || input.starts(with: OggComments.magic),
        "a file that is not an Ogg file has a comment")
    return 0
}
