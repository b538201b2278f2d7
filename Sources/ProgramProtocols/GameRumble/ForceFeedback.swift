// ForceFeedback: the codes of the kernel's force-feedback interface.

/// The codes of the effects, waveforms and settings that the gamepad supports (linux/input-event-codes.h:
/// `FF_RUMBLE` and so on).
public enum ForceFeedback: UInt16, CaseIterable, Sendable {
    case rumble = 0x50
    case periodic = 0x51
    case constant = 0x52
    case ramp = 0x57
    case square = 0x58
    case triangle = 0x59
    case sine = 0x5A
    case sawUp = 0x5B
    case sawDown = 0x5C
    case gain = 0x60
}
