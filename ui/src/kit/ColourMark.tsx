import type { ReactNode } from "react";
import type { Colour } from "../backend/backend";
import { cx } from "./cx";

/** The seven colours in the order in which they are offered. */
export const COLOURS: readonly Colour[] = ["red", "orange", "yellow", "green", "blue", "purple", "grey"];

/** Each colour has a shape of its own, so that the marks are told apart without seeing colours. */
const MARKS: Record<Colour, { word: string; shape: string; tone: string; drawing: ReactNode }> = {
  red: { word: "red", shape: "circle", tone: "text-mark-red", drawing: <circle cx="6" cy="6" r="4.5" /> },
  orange: {
    word: "orange",
    shape: "triangle",
    tone: "text-mark-orange",
    drawing: <path d="M6 1.2 11 10.4H1Z" strokeLinejoin="round" />,
  },
  yellow: {
    word: "yellow",
    shape: "star",
    tone: "text-mark-yellow",
    drawing: <path d="m6 .6 1.6 3.6 3.9.4-2.9 2.6.8 3.9L6 9.1l-3.4 2 .8-3.9L.5 4.6l3.9-.4Z" />,
  },
  green: {
    word: "green",
    shape: "square",
    tone: "text-mark-green",
    drawing: <rect x="1.8" y="1.8" width="8.4" height="8.4" rx="1" />,
  },
  blue: { word: "blue", shape: "diamond", tone: "text-mark-blue", drawing: <path d="m6 .6 5.4 5.4L6 11.4.6 6Z" /> },
  purple: {
    word: "purple",
    shape: "cross",
    tone: "text-mark-purple",
    drawing: <path d="M4.3 1h3.4v3.3H11v3.4H7.7V11H4.3V7.7H1V4.3h3.3Z" />,
  },
  grey: {
    word: "grey",
    shape: "ring",
    tone: "text-mark-grey",
    drawing: <circle cx="6" cy="6" r="3.8" fill="none" stroke="currentColor" strokeWidth="2.2" />,
  },
};

/** The word for a colour, as menus say it. */
export const colourWord = (colour: Colour) => MARKS[colour].word;

/** The shape that a colour is drawn with, in a word. */
export const colourShape = (colour: Colour) => MARKS[colour].shape;

/** A colour that a person gave a row: a shape of its own for each, with the word as title and for those who hear it. */
export function ColourMark({
  colour,
  size = 12,
  silent = false,
  className,
}: {
  colour: Colour;
  size?: number;
  /** Where the word stands beside it, as in a menu. */
  silent?: boolean;
  className?: string;
}) {
  const { word, tone, drawing } = MARKS[colour];
  return (
    <span {...(silent ? {} : { title: word })} className={cx("inline-flex shrink-0", tone, className)}>
      <svg viewBox="0 0 12 12" width={size} height={size} fill="currentColor" aria-hidden focusable={false}>
        {drawing}
      </svg>
      {!silent && <span className="sr-only">{word}</span>}
    </span>
  );
}
