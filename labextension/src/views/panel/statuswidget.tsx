import { Widget } from '@lumino/widgets';
import React from 'react';
import { IdleItem } from '../idle/item';
import { StatusItem } from './statusitem';
import { IUi, LiveWidget } from '../parts/ui';

/** Make the status bar's items; what it shows is watched in the background. */
export function makeStatusItem(ui: IUi): Widget {
  const items = (
    <>
      <StatusItem />
      <IdleItem />
    </>
  );
  return new LiveWidget(ui, items, []);
}
