// GeneratorNames: the feedback generators of HapticBridge under their UIKit names. The names are in
// a separate module so that they do not conflict in a file that imports both HapticBridge and UIKit
// or AppKit.

// `import PlatformFeedback` replaces `import UIKit`.
@_exported import HapticBridge

/// The UIKit name of ``FeedbackGenerator``.
public typealias UIFeedbackGenerator = FeedbackGenerator
/// The UIKit name of ``NotificationFeedbackGenerator``.
public typealias UINotificationFeedbackGenerator = NotificationFeedbackGenerator
/// The UIKit name of ``ImpactFeedbackGenerator``.
public typealias UIImpactFeedbackGenerator = ImpactFeedbackGenerator
/// The UIKit name of ``SelectionFeedbackGenerator``.
public typealias UISelectionFeedbackGenerator = SelectionFeedbackGenerator
/// The UIKit name of ``CanvasFeedbackGenerator``.
public typealias UICanvasFeedbackGenerator = CanvasFeedbackGenerator
