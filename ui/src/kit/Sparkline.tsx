const WIDTH = 84;
const HEIGHT = 16;

/** A small picture of how something went, the oldest value first. `label` says it in a sentence. Nothing is drawn of nothing. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const most = Math.max(0, ...values);
  if (most === 0) return null;
  const step = WIDTH / values.length;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      className="shrink-0 text-faint"
    >
      <title>{label}</title>
      {values.map((value, at) => {
        // Even one among hundreds is seen, and nothing is a line on the ground.
        const height = value === 0 ? 1 : Math.max(3, (value / most) * HEIGHT);
        const last = at === values.length - 1;
        return (
          <rect
            // oxlint-disable-next-line react/no-array-index-key -- a bar is its place
            key={at}
            x={at * step + 0.5}
            y={HEIGHT - height}
            width={step - 1}
            height={height}
            fill="currentColor"
            opacity={value === 0 ? 0.5 : 1}
            {...(last && value > 0 ? { className: "text-accent" } : {})}
          />
        );
      })}
    </svg>
  );
}
