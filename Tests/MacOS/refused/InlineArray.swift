// 'InlineArray' is only available in macOS 26.0 or newer
func refused() {
    let array: InlineArray<3, Int> = [1, 2, 3]
    _ = array
}
