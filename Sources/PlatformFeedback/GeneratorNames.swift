// The feedback generators of HapticBridge under their names in UIKit. They have a module of their own, so
// that a file which imports UIKit or AppKit, and HapticBridge, has each name once.

// `import PlatformFeedback` takes the place of `import UIKit`.
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
