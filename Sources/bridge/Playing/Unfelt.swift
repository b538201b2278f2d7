// Unfelt: the reason why nothing of a playback was felt.

import HapticBridge

/// A reason why nothing is felt although a pattern plays.
enum Unfelt: Equatable {
    /// There is no board: what would be felt is only shown.
    case preview
    /// The command was given `--mute`.
    case muted
    /// The user's settings, or a program that asks for silence.
    case user(EffectiveHaptics.Unfelt)

    /// The word for the reason in JSON.
    var word: String {
        switch self {
        case .preview: "preview"
        case .muted: "muted"
        case .user(let reason): reason.rawValue
        }
    }

    /// The reason in words.
    var text: String {
        switch self {
        case .preview: "this was a preview, without a board"
        case .muted: "--mute"
        case .user(.off): "haptics are off in \(HapticSettings.file)"
        case .user(.quietHours): "it is in the quiet hours of \(HapticSettings.file)"
        case .user(.silence): "a program asks for silence"
        case .user(.gain): "the gain is 0"
        }
    }
}
