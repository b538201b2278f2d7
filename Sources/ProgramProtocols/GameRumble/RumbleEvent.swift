// RumbleEvent: an event that the kernel sends to the program behind a gamepad.

/// An event that the kernel sends to the program behind a gamepad: `struct input_event` of uinput.
public enum RumbleEvent: Equatable, Sendable {
    /// A game uploads an effect. The program must answer the request with this number.
    case upload(request: UInt32)
    /// A game erases an effect, or has ended. The program must answer the request with this number.
    case erase(request: UInt32)
    /// A game starts an effect, or stops it if the count is 0.
    case play(id: Int, count: Int)
    /// A game sets the gain of all effects, 0...1.
    case gain(Double)

    /// The number of bytes of `struct input_event` on a computer with 64-bit times.
    public static let size = 24

    /// Reads an event. Returns nil if the event is not one of these cases.
    public init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.size else { return nil }
        let fields = KernelFields(bytes)
        let code = Int(fields.unsigned(at: 18))
        let value = fields.unsigned32(at: 20)
        switch (fields.unsigned(at: 16), code) {
        case (Self.fromUInput, 1): self = .upload(request: value)
        case (Self.fromUInput, 2): self = .erase(request: value)
        case (Self.forceFeedback, Int(ForceFeedback.gain.rawValue)):
            self = .gain(min(1, Double(value) / 0xFFFF))
        case (Self.forceFeedback, 0..<RumbleEffects.countMax):
            self = .play(id: code, count: Int(Int32(bitPattern: value)))
        default: return nil
        }
    }

    /// `EV_UINPUT`, whose codes are `UI_FF_UPLOAD` and `UI_FF_ERASE`.
    private static let fromUInput: UInt16 = 0x0101
    /// `EV_FF`, whose code is the number of an effect or of a setting.
    private static let forceFeedback: UInt16 = 0x15
}
